import { dateRange, todayInOfficeZone } from '../../messages/format';
import { previousRange } from './previousRange';

/** The range to compare figures with, and its name; undefined while they load, and without a first day. */
export function usePrevious(days: { from?: string | null; to?: string | null } | undefined) {
  const range = days && previousRange(days, todayInOfficeZone());
  return range && { range, name: dateRange(range.from, range.to) };
}
