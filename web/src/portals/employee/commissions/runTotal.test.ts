import { expect, test } from 'vitest';
import type { PayoutRun } from '../../../api/types';
import { runTotal } from './runTotal';

const payout = (amount: string, currency: 'USD' | 'EUR'): PayoutRun['payouts'][number] => ({
  amount,
  currency,
  company_id: 'c',
  company_name: 'Company',
  entries: 1,
  iso_id: 'i',
  iso_name: 'Partner',
});

test('total adds exactly, one sum per currency', () => {
  const payouts = [payout('0.10', 'USD'), payout('0.20', 'USD'), payout('1000.00', 'EUR')];
  expect(runTotal({ payouts })).toBe('$0.30 + €1,000.00');
});

test('reversals are subtracted', () => {
  expect(runTotal({ payouts: [payout('10.00', 'USD'), payout('-10.05', 'USD')] })).toBe('-$0.05');
});
