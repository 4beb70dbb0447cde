export interface MonthEarned {
  /** `2026-11` */
  month: string;
  amount: number;
}

interface Entry {
  earned_date: string;
  amount: string;
  currency: string;
  status: string;
}

/** Sum of the days, for drawings and comparisons: exact amounts stay with the server. */
export function earnedBetween(entries: Entry[], currency: string, from: string, to: string): number {
  const cents = entries
    .filter((entry) => entry.currency === currency && entry.status !== 'void')
    .filter((entry) => entry.earned_date >= from && entry.earned_date <= to)
    .reduce((sum, entry) => sum + Math.round(Number(entry.amount) * 100), 0);
  return cents / 100;
}

/** Sums of the months from a day on. */
export function earningsByMonth(
  entries: Entry[],
  currency: string,
  from: string,
  count: number,
): MonthEarned[] {
  return Array.from({ length: count }, (_, n) => {
    const month = monthsLater(from, n).slice(0, 7);
    return { month, amount: earnedBetween(entries, currency, `${month}-01`, `${month}-31`) };
  });
}

/** First day of the month that is some months after that of a day. */
export function monthsLater(day: string, months: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
