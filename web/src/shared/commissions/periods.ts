import { useTranslation } from 'react-i18next';
import type { Period } from '../../api/types';

export const periods: Period[] = ['this_month', 'last_month', 'this_year'];

export function usePeriods() {
  const { t } = useTranslation('commissions');
  return periods.map((value) => ({ value, label: t(`period.${value}`) }));
}
