import { useTranslation } from 'react-i18next';
import { date, dateRange, dateTime, todayInOfficeZone } from '../../messages/format';
import { useParam, useSetParams } from '../queryParams';
import { RangeField } from '../../ui/RangeField';
import { namedRange } from './namedRange';

export const periods = ['this_month', 'last_month', 'this_year', 'last_year', 'all_time'] as const;
export type ReportPeriod = (typeof periods)[number];
const CUSTOM_RANGE = 'own';

export interface DateRange {
  period?: ReportPeriod;
  from?: string;
  to?: string;
}

/** Date range of figures, kept in the URL: a named period or two custom days. */
export function useDateRange() {
  const { t } = useTranslation(['reports', 'names']);
  const [periodParam] = useParam('period');
  const [from] = useParam('from');
  const [to] = useParam('to');
  const set = useSetParams();
  const own = periodParam === CUSTOM_RANGE;
  const period = periods.find((known) => known === periodParam) ?? 'this_year';
  const range: DateRange = own ? { from: from || undefined, to: to || undefined } : { period };
  const filter = (
    <RangeField
      label={t('period')}
      periods={periods.map((value) => ({ value, label: t(`names:report_period.${value}`) }))}
      period={own ? undefined : period}
      from={from}
      to={to}
      onPeriod={(chosen) => set({ period: chosen, from: '', to: '' })}
      onRange={(first, last) => set({ period: CUSTOM_RANGE, from: first, to: last })}
    />
  );
  /** What the server will answer, to say so before it does: the text keeps its height. */
  const days = own ? range : period === 'all_time' ? {} : namedRange(period, todayInOfficeZone());
  return { range, days, period: own ? undefined : period, filter };
}

const FRESH_FOR_MS = 60_000;

interface CustomDays {
  from?: string | null;
  to?: string | null;
  /** Time of computation, if cached. */
  as_of?: string;
}

/** "January 1, 2026 – December 31, 2026", or all time; with the time of cached figures older than a minute. */
export function useDateRangeText() {
  const { t } = useTranslation('reports');
  const range = (days: CustomDays) => {
    if (!days.from && !days.to) return t('all_days');
    if (!days.from) return t('until', { to: date(days.to) });
    return days.to ? dateRange(days.from, days.to) : t('since', { from: date(days.from) });
  };
  return (days: CustomDays) =>
    days.as_of && Date.now() - Date.parse(days.as_of) > FRESH_FOR_MS
      ? `${range(days)}, ${t('as_of', { time: dateTime(days.as_of) })}`
      : range(days);
}
