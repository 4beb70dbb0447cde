import { expect, test } from 'vitest';
import { isPrefilled, withPrefill } from './usePrefilledMessage';

test('a prefill replaces a blank body and the prefill before it, not text of the person', () => {
  const [name, bank] = ['“Name” is done.', 'About “Bank”: '];
  expect(withPrefill({ body: ' ', prefill: '' }, name)).toBe(name);
  expect(withPrefill({ body: name, prefill: name }, bank)).toBe(bank);
  expect(withPrefill({ body: bank.trim(), prefill: bank }, name)).toBe(name);
  expect(withPrefill({ body: 'Hello', prefill: '' }, name)).toBe(`Hello\n${name}`);
  expect(withPrefill({ body: `${bank}ready?\n`, prefill: bank }, name)).toBe(`${bank}ready?\n${name}`);
  expect(withPrefill({ body: `Hello\n${name}`, prefill: name }, name)).toBe(`Hello\n${name}`);
});

test('a prefill is no text of the person, so no draft', () => {
  expect(isPrefilled({ body: '', prefill: '' })).toBe(true);
  expect(isPrefilled({ body: 'Done.', prefill: 'Done.' })).toBe(true);
  expect(isPrefilled({ body: 'Done. Thanks', prefill: 'Done.' })).toBe(false);
  expect(isPrefilled({ body: 'Hello', prefill: '' })).toBe(false);
});
