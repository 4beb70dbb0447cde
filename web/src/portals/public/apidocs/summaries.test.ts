import { expect, test } from 'vitest';
import openapi from '../../../../openapi.json';
import es from './summaries.es.json';
import type { Operation } from './openapi';

test('every operation has a summary in both languages and no other', () => {
  const operations = Object.values(openapi.paths as Record<string, Record<string, Operation>>)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => operationId);
  const ids = operations.map(({ operationId = '' }) => operationId).toSorted();
  expect(Object.keys(es).toSorted()).toEqual(ids);
  const words = es as Record<string, string>;
  const missing = operations.filter(
    ({ operationId = '', summary }) =>
      !summary?.trim() || !words[operationId]?.trim() || words[operationId] === summary,
  );
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  // Inline code must match in all languages.
  const code = (text = '') => [...text.matchAll(/`[^`]+`/g)].map(([found]) => found).toSorted();
  const different = operations.filter(
    ({ operationId = '', summary }) => code(summary).join() !== code(words[operationId]).join(),
  );
  expect(different.map(({ operationId }) => operationId)).toEqual([]);
});
