import { expect, test } from 'vitest';
import { leadingBlank } from './leadingBlank';

const points = (...values: (number | null)[]) => values.map((value) => ({ values: [value] }));

test('a chart begins one point before its first figure', () => {
  expect(leadingBlank(points(0, null, 0, 0, 4, 0, 2))).toBe(3);
  expect(leadingBlank(points(4, 0, 2))).toBe(0);
});

test('a chart keeps three points', () => {
  expect(leadingBlank(points(0, 0, 0, 0, 7))).toBe(2);
  expect(leadingBlank(points(0, 7))).toBe(0);
});

test('a chart without figures is kept whole', () => {
  expect(leadingBlank(points(0, 0, 0, 0))).toBe(0);
});

test('figures of the period before count', () => {
  const before = (value: number) => ({ values: [0], before: { value } });
  expect(leadingBlank([before(0), before(3), before(0), before(0), before(0)])).toBe(0);
});
