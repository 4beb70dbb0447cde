import { expect, test } from 'vitest';
import { interpolate } from './landingMessages';

test('interpolates values', () => {
  expect(interpolate('© {{year}} {{brand}}', { year: 2026, brand: 'SPV Portal' })).toBe('© 2026 SPV Portal');
});

test('unknown placeholders stay, and values are not interpolated again', () => {
  expect(interpolate('{{identifier}}: {{percent}}%', { identifier: '{{percent}} $&' })).toBe(
    '{{percent}} $&: {{percent}}%',
  );
});
