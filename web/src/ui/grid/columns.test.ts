import { expect, test } from 'vitest';
import { nextSort, parseSort, sortText } from './columns';

const column = { key: 'due', header: 'Due', sort: 'due_date', cell: () => null };

test('a column is sorted one way, then the other, then as the list is by default', () => {
  const first = nextSort(column, null);
  expect(first).toEqual({ key: 'due_date', descending: false });
  const second = nextSort(column, first);
  expect(second).toEqual({ key: 'due_date', descending: true });
  expect(nextSort(column, second)).toBeNull();
});

test('amounts and dates are sorted descending first', () => {
  const amount = { ...column, sort: 'total', descendingFirst: true };
  expect(nextSort(amount, parseSort('due_date'))).toEqual({ key: 'total', descending: true });
  expect(nextSort(amount, parseSort('-total'))).toEqual({ key: 'total', descending: false });
});

test('a sort has a minus in the URL where it is descending', () => {
  for (const text of ['name', '-created_at']) {
    const sort = parseSort(text);
    expect(sort && sortText(sort)).toBe(text);
  }
  expect(parseSort('')).toBeNull();
});
