import { expect, test } from 'vitest';
import { previousRange } from './previousRange';

test.each([
  ['2026-01-01', '2026-12-31', '2025-01-01', '2025-11-28'],
  ['2025-01-01', '2025-12-31', '2024-01-01', '2024-12-31'],
  ['2026-11-01', '2026-11-30', '2026-10-01', '2026-10-28'],
  ['2026-10-01', '2026-10-31', '2026-09-01', '2026-09-30'],
  ['2026-02-01', '2026-02-28', '2026-01-01', '2026-01-31'],
  ['2026-11-08', '2026-11-14', '2026-11-01', '2026-11-07'],
  ['2026-11-20', null, '2026-11-11', '2026-11-19'],
])('%s to %s is compared with %s to %s', (from, to, first, last) => {
  expect(previousRange({ from, to }, '2026-11-28')).toEqual({ from: first, to: last });
});

test('all time has no period before', () => {
  expect(previousRange({ from: null, to: null }, '2026-11-28')).toBeUndefined();
  expect(previousRange({ from: '2027-01-01' }, '2026-11-28')).toBeUndefined();
});
