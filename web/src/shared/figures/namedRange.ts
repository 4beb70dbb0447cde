export const namedRanges = ['this_month', 'last_month', 'this_year', 'last_year'] as const;
export type NamedRange = (typeof namedRanges)[number];

/** First and last day of a named period, in wire format. */
export function namedRange(name: NamedRange, today: string): { from: string; to: string } {
  const [year = 0, month = 0] = today.split('-').map(Number);
  switch (name) {
    case 'this_month':
      return days(Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0));
    case 'last_month':
      return days(Date.UTC(year, month - 2, 1), Date.UTC(year, month - 1, 0));
    case 'this_year':
      return days(Date.UTC(year, 0, 1), Date.UTC(year, 12, 0));
    case 'last_year':
      return days(Date.UTC(year - 1, 0, 1), Date.UTC(year - 1, 12, 0));
  }
}

function days(from: number, to: number) {
  const wire = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: wire(from), to: wire(to) };
}
