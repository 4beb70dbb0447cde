import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

type Words = Record<string, string>;

const here = import.meta.dirname;
const folders = { screens: here, shared: join(here, '../../../domain/messages') };

function read(folder: string, language: string, name: string): Words {
  return JSON.parse(readFileSync(join(folder, language, name), 'utf8')) as Words;
}

function filesOf(folder: string, language: string): string[] {
  return readdirSync(join(folder, language))
    .filter((name) => name.endsWith('.json'))
    .toSorted();
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '').toSorted();
}

/** `public.pages.json` is a part of the namespace `public`. */
function namespaceOf(file: string): string {
  return file.slice(0, file.indexOf('.'));
}

/** Plural forms (`rows_one`, `rows_other`) count as one message; Spanish also has `_many`. */
function withoutPlural(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, '');
}

describe.each(Object.entries(folders))('%s', (_name, folder) => {
  test('both languages have the same files', () => {
    expect(filesOf(folder, 'es')).toEqual(filesOf(folder, 'en'));
  });

  test.each(filesOf(folder, 'en'))('%s has the same keys and placeholders in both languages', (file) => {
    const [en, es] = [read(folder, 'en', file), read(folder, 'es', file)];
    const keys = (words: Words) => [...new Set(Object.keys(words).map(withoutPlural))].toSorted();
    expect(keys(es)).toEqual(keys(en));
    const blank = [en, es].flatMap((words) => Object.keys(words).filter((key) => !words[key]?.trim()));
    expect(blank).toEqual([]);
    const different = Object.keys(en).filter(
      (key) => es[key] !== undefined && placeholders(es[key]).join() !== placeholders(en[key] ?? '').join(),
    );
    expect(different).toEqual([]);
  });
});

const known: Record<string, Set<string>> = {};
for (const folder of Object.values(folders)) {
  for (const file of filesOf(folder, 'en')) {
    const keys = Object.keys(read(folder, 'en', file));
    const name = namespaceOf(file);
    known[name] = new Set([...(known[name] ?? []), ...keys, ...keys.map(withoutPlural)]);
  }
}

const root = join(here, '..');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));

/** A file with two components may use two namespaces. */
function namespacesOf(source: string): string[] {
  const own = [...source.matchAll(/useTranslation\(\[?'(\w+)'/g)].map(([, name = '']) => name);
  return source.includes('useLandingMessages()') ? [...own, 'landing'] : own;
}

/** Every literal key, and the literal prefix of every composed key, must exist. */
function unknownKeys(file: string, source: string): string[] {
  const own = namespacesOf(source);
  const calls = source.matchAll(/(?:\bt|\bi18n\w*\.t|\bexists)\(\s*(['"`])([^'"`]+)\1/g);
  return [...calls].flatMap(([, quote, key = '']) => {
    const [beginning = '', ...rest] = quote === '`' ? key.split('${') : [key];
    const colon = beginning.indexOf(':');
    const namespaces = colon < 0 ? own : [beginning.slice(0, colon)];
    const name = beginning.slice(colon + 1);
    const found = namespaces.some((namespace) => {
      const words = known[namespace];
      return rest.length > 0 ? [...(words ?? [])].some((word) => word.startsWith(name)) : words?.has(name);
    });
    return found ? [] : [`${file}: ${namespaces.join('|')}:${name}`];
  });
}

test('every key in the source exists', () => {
  expect(sources.flatMap(({ file, source }) => unknownKeys(file, source))).toEqual([]);
});

/** Prefixes of fully composed keys. */
const built = [
  ...['employee:company.', 'employee:iso.', 'security:email.'],
  ...['about', 'help', 'security', 'selector', 'signup', 'weak'].map((part) => `public:${part}.`),
];

/** Whether a file contains the key anywhere. */
function keysInUse(): (key: string) => boolean {
  const whole = new Set<string>();
  const parts = built.map((beginning) => ({ beginning, end: '' }));
  for (const { source } of sources) {
    const own = namespacesOf(source);
    const full = (key: string) => (key.includes(':') ? [key] : own.map((name) => `${name}:${key}`));
    for (const [, , key = ''] of source.matchAll(/(['"`])([\w.:-]+)\1/g))
      for (const one of full(key)) whole.add(one);
    // A bare namespace would match everything in it.
    for (const [, start = '', rest = ''] of source.matchAll(/`(\w[\w.:-]*(?<!:))\$\{([^`]*)`/g))
      for (const beginning of full(start))
        parts.push({ beginning, end: rest.slice(rest.lastIndexOf('}') + 1) });
  }
  const isPart = (key: string) =>
    parts.some(({ beginning, end }) => key.startsWith(beginning) && key.endsWith(end));
  return (key) => [key, withoutPlural(key)].some((form) => whole.has(form) || isPart(form));
}

// Shared messages are used by the server too.
test('every message is used', () => {
  const inUse = keysInUse();
  const words = filesOf(here, 'en').flatMap((file) =>
    Object.keys(read(here, 'en', file)).map((key) => `${namespaceOf(file)}:${key}`),
  );
  expect(words.filter((key) => !inUse(key))).toEqual([]);
});
