import { expect, test } from 'vitest';
import { earningsByMonth } from './earnings';

test('earnings are summed by month, in one currency, without void entries', () => {
  const entry = (earned_date: string, amount: string, currency = 'USD', status = 'paid') => ({
    earned_date,
    amount,
    currency,
    status,
  });
  const months = earningsByMonth(
    [
      entry('2025-12-31', '0.10'),
      entry('2026-01-05', '0.20'),
      entry('2026-01-31', '0.10'),
      entry('2026-01-31', '5.00', 'EUR'),
      entry('2026-01-31', '5.00', 'USD', 'void'),
    ],
    'USD',
    '2025-12-01',
    3,
  );
  expect(months).toEqual([
    { month: '2025-12', amount: 0.1 },
    { month: '2026-01', amount: 0.3 },
    { month: '2026-02', amount: 0 },
  ]);
});
