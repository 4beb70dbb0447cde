import { expect, test } from 'vitest';
import { ticksTo } from './ColumnChart';

test('a scale begins at nought, has round steps and reaches the highest value', () => {
  expect(ticksTo(0)).toEqual([0, 1]);
  expect(ticksTo(3)).toEqual([0, 1, 2, 3]);
  expect(ticksTo(100)).toEqual([0, 25, 50, 75, 100]);
  expect(ticksTo(1234.56).at(-1)).toBe(1500);
  for (const highest of [1, 7, 12, 99, 101, 45_000_000]) {
    const ticks = ticksTo(highest);
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
  }
});
