import type { TFunction } from 'i18next';
import type { ReportName, ReportPage } from '../../../api/types';
import { date, money, number, percent } from '../../../messages/format';

export const reports: ReportName[] = ['portfolio', 'commissions', 'step_times'];

type Column = ReportPage['columns'][number];

const NAMED_CODES: Partial<Record<Column['kind'], string>> = {
  country: 'country',
  spv_status: 'spv_status',
  commission_status: 'commission_status',
  owner: 'owner',
  flag: 'flag',
};

/** Formatted cell of a report. */
export function cellText(t: TFunction, column: Column, cell: string, currency: string): string {
  if (cell === '') return '—';
  const names = NAMED_CODES[column.kind];
  if (names) return t(`names:${names}.${cell}`, { defaultValue: cell });
  switch (column.kind) {
    case 'date':
      return date(cell);
    case 'amount':
      return money(cell, currency);
    case 'percent':
      return percent(cell);
    case 'days':
      return number(Number(cell));
    default:
      return cell;
  }
}

export function isNumber(column: Column): boolean {
  return column.kind === 'amount' || column.kind === 'days' || column.kind === 'percent';
}
