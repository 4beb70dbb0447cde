import { useTranslation } from 'react-i18next';
import { month, todayInOfficeZone } from '../../messages/format';

interface Month {
  month: string;
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
