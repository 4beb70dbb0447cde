import type { OfficeAnalytics } from '../../api/types';
import { money } from '../../messages/format';
import type { FigureColumn } from '../../ui/charts/FigureTable';

export type Fees = OfficeAnalytics['revenue'];

/** Sum in one currency, zero if absent. */
export function amountInCurrency(sums: Fees, currency: string): string {
  return sums.find((sum) => sum.currency === currency)?.amount ?? '0';
}

/** One column per currency of all rows: amounts are never summed across currencies. */
export function revenueColumns<Row>(
  all: Fees,
  of: (row: Row) => Fees,
  words: { header: (currency: string) => string; explain: string },
): FigureColumn<Row>[] {
  return all.map(({ currency, amount }) => ({
    key: `revenue-${currency}`,
    header: words.header(currency),
    explain: words.explain,
    cell: (row) => money(amountInCurrency(of(row), currency), currency),
    plain: (row) => amountInCurrency(of(row), currency),
    total: money(amount, currency),
  }));
}
