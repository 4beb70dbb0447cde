import { expect, test } from 'vitest';
import { namedRange } from './namedRange';

test.each([
  ['this_month', '2026-11-15', '2026-11-01', '2026-11-30'],
  ['last_month', '2026-01-31', '2025-12-01', '2025-12-31'],
  ['last_month', '2028-03-31', '2028-02-01', '2028-02-29'],
  ['this_year', '2026-11-15', '2026-01-01', '2026-12-31'],
  ['last_year', '2026-11-15', '2025-01-01', '2025-12-31'],
] as const)('%s of %s', (name, today, from, to) => {
  expect(namedRange(name, today)).toEqual({ from, to });
});
