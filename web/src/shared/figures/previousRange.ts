import type { DateRange } from './dateRange';
import { addDays } from '../../messages/format';

interface Days {
  from?: string | null;
  to?: string | null;
}

/**
 * The range to compare with: as many days before it, up to today where it is running. Whole months and years are
 * compared with whole months and years. Undefined without a first day.
 */
export function previousRange({ from, to }: Days, today: string): DateRange | undefined {
  if (!from || from > today) return undefined;
  const last = !to || to > today ? today : to;
  if (from.endsWith('-01-01') && last.slice(0, 4) === from.slice(0, 4)) return shifted(from, last, 12);
  if (from.endsWith('-01') && last.slice(0, 7) === from.slice(0, 7)) return shifted(from, last, 1);
  const length = (Date.parse(last) - Date.parse(from)) / 86_400_000;
  return { from: addDays(from, -length - 1), to: addDays(from, -1) };
}

function shifted(from: string, to: string, months: number): DateRange {
  return { from: monthsBefore(from, months), to: monthsBefore(to, months) };
}

/** The same day some months earlier; the last day of a month stays the last. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lengthOf = (m: number) => new Date(Date.UTC(year, m, 0)).getUTCDate();
  const wanted = date === lengthOf(month) ? 31 : date;
  const capped = Math.min(wanted, lengthOf(month - months));
  return new Date(Date.UTC(year, month - 1 - months, capped)).toISOString().slice(0, 10);
}
