import { expect, test } from 'vitest';
import { interpolate } from './landingMessages';

test('values take the places of their names', () => {
  expect(interpolate('© {{year}} {{brand}}', { year: 2026, brand: 'SPV Portal' })).toBe('© 2026 SPV Portal');
});

test('a name without a value stays as it is, and a value is not looked through again', () => {
  expect(interpolate('{{identifier}}: {{percent}}%', { identifier: '{{percent}} $&' })).toBe(
    '{{percent}} $&: {{percent}}%',
  );
});
