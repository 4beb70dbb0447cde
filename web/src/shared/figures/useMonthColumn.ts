import { useTranslation } from 'react-i18next';
import { month } from '../../messages/format';

/** Month column of figure tables. */
export function useMonthColumn() {
  const { t } = useTranslation('reports');
  return {
    header: t('finances.month'),
    cell: (row: { month: string }) => month(row.month),
    plain: (row: { month: string }) => row.month,
    total: t('total'),
  };
}
