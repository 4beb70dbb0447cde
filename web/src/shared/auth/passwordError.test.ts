import { expect, test } from 'vitest';
import { longestPassword, passwordFault } from './passwordError';

test('a password is measured in characters, however they are typed and kept', () => {
  expect(passwordFault('朝霧静かな港に船十三隻が帰り灯台守は茶を淹れて待つ', 8)).toBeUndefined();
  expect(passwordFault('漢'.repeat(longestPassword), 8)).toBeUndefined();
  expect(passwordFault('漢'.repeat(longestPassword + 1), 8)).toBe('too_long');
  expect(passwordFault('e\u0301'.repeat(longestPassword), 8)).toBeUndefined();
  expect(passwordFault('e\u0301'.repeat(7), 8)).toBe('too_short');
  expect(passwordFault('😀'.repeat(4), 8)).toBe('too_short');
});
