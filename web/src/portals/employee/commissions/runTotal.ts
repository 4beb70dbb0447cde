import type { PayoutRun } from '../../../api/types';
import { money } from '../../../messages/format';

/** Sum of a payout run, one amount per currency. Exact: amounts are decimal strings with the digits of the currency. */
export function runTotal({ payouts }: Pick<PayoutRun, 'payouts'>): string {
  const sums = new Map<string, { units: bigint; digits: number }>();
  for (const { amount, currency } of payouts) {
    const digits = amount.split('.')[1]?.length ?? 0;
    const units = (sums.get(currency)?.units ?? 0n) + BigInt(amount.replace('.', ''));
    sums.set(currency, { units, digits });
  }
  return [...sums]
    .map(([currency, { units, digits }]) => money(toDecimal(units, digits), currency))
    .join(' + ');
}

function toDecimal(units: bigint, digits: number): string {
  const sign = units < 0n ? '-' : '';
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
