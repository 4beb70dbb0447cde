import { useTranslation } from 'react-i18next';
import { month, todayInOfficeZone } from '../../messages/format';
import { namedRange } from './namedRange';

interface Month {
  month: string;
}

/** First and last day of a month such as `2026-11`. */
export function daysOfMonth(month: string): { from: string; to: string } {
  return namedRange('this_month', `${month}-01`);
}

/** Months up to the current one: those to come have no figures yet. */
export function monthsSoFar<Row extends Month>(rows: Row[], today = todayInOfficeZone()): Row[] {
  return rows.filter((row) => row.month <= today.slice(0, 7));
}

/** Marks the current month in charts, whose figures still grow. */
export function useRunningMonth() {
  const { t } = useTranslation('reports');
  const current = todayInOfficeZone().slice(0, 7);
  return {
    name: t('analytics.so_far', { month: month(current) }),
    is: (row: Month) => row.month === current,
  };
}
