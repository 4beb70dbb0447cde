import { expect, test } from 'vitest';
import { scaleTicks } from './ticks';

test('scale starts at zero, has round steps and reaches the maximum', () => {
  expect(scaleTicks(0)).toEqual([0, 1]);
  expect(scaleTicks(3)).toEqual([0, 1, 2, 3]);
  expect(scaleTicks(100)).toEqual([0, 25, 50, 75, 100]);
  expect(scaleTicks(1234.56).at(-1)).toBe(1500);
  for (const highest of [1, 7, 12, 99, 101, 45_000_000]) {
    const ticks = scaleTicks(highest);
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
  }
});
