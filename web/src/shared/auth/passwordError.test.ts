import { expect, test } from 'vitest';
import { MAX_PASSWORD_LENGTH, passwordError } from './passwordError';

test('password length counts normalised characters', () => {
  expect(passwordError('朝霧静かな港に船十三隻が帰り灯台守は茶を淹れて待つ', 8)).toBeUndefined();
  expect(passwordError('漢'.repeat(MAX_PASSWORD_LENGTH), 8)).toBeUndefined();
  expect(passwordError('漢'.repeat(MAX_PASSWORD_LENGTH + 1), 8)).toBe('too_long');
  expect(passwordError('e\u0301'.repeat(MAX_PASSWORD_LENGTH), 8)).toBeUndefined();
  expect(passwordError('e\u0301'.repeat(7), 8)).toBe('too_short');
  expect(passwordError('😀'.repeat(4), 8)).toBe('too_short');
});
