import { money } from '../../messages/format';
import type { GridColumn } from '../../ui/grid/columns';

/** An amount in wire format. */
export interface Amount {
  amount: string;
  currency: string;
}

/** Sums by currency, formatted; amounts of two currencies are never added up. */
export function sumsByCurrency(amounts: Amount[]): string[] {
  const sums = new Map<string, { minor: bigint; digits: number }>();
  for (const { amount, currency } of amounts) {
    const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
    const minor = BigInt(`${sign}${whole}${decimals}`);
    const sum = sums.get(currency) ?? { minor: 0n, digits: decimals.length };
    sums.set(currency, { ...sum, minor: sum.minor + minor });
  }
  return [...sums]
    .toSorted(([first], [second]) => first.localeCompare(second))
    .map(([currency, { minor, digits }]) => money(decimal(minor, digits), currency));
}

/** The columns with the sums of a list under one of them. */
export function withSums<Row>(
  columns: GridColumn<Row>[],
  key: string | undefined,
  amounts: Amount[] = [],
): GridColumn<Row>[] {
  const sums = key ? sumsByCurrency(amounts) : [];
  if (sums.length === 0) return columns;
  return columns.map((column) => (column.key === key ? { ...column, sums } : column));
}

function decimal(minor: bigint, digits: number): string {
  const sign = minor < 0n ? '-' : '';
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
