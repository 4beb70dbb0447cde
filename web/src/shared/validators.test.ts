import { expect, test } from 'vitest';
import { isPhone } from './validators';

test('phone accepts digits, separators and an extension', () => {
  for (const text of [
    '+1 555 0100',
    '(555) 010-0199',
    '+44 (0)20 7946 0018',
    '(+34) 912 345 678',
    '030/1234567',
  ]) {
    expect(isPhone(text), text).toBe(true);
  }
  for (const text of ['+1 555 010 0199 ext. 12', '5550100x7', '5550100 #7', '０３－１２３４－５６７８']) {
    expect(isPhone(text), text).toBe(true);
  }
  for (const text of [
    'abc',
    '1234',
    '+1',
    '1234567890123456',
    '555-CALL-NOW',
    'call 555 0100',
    '555+0100',
    '5550100 ext',
    '=5550100',
  ]) {
    expect(isPhone(text), text).toBe(false);
  }
});
