import { expect, test } from 'vitest';
import { sumsByCurrency } from './sums';

test('each currency is added up for itself, exactly', () => {
  const amounts = [
    { amount: '0.10', currency: 'USD' },
    { amount: '9750.20', currency: 'USD' },
    { amount: '-4.00', currency: 'EUR' },
    { amount: '1200', currency: 'JPY' },
  ];
  expect(sumsByCurrency(amounts)).toEqual(['-€4.00', '¥1,200', '$9,750.30']);
  expect(sumsByCurrency([])).toEqual([]);
  const large = [
    { amount: '9007199254740993.01', currency: 'USD' },
    { amount: '0.01', currency: 'USD' },
  ];
  expect(sumsByCurrency(large)).toEqual(['$9,007,199,254,740,993.02']);
});
