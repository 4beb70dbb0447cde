import { useTranslation } from 'react-i18next';
import { month } from '../../messages/format';

/** The first column of figures by month. */
export function useMonthColumn() {
  const { t } = useTranslation('reports');
  return {
    header: t('finances.month'),
    cell: (row: { month: string }) => month(row.month),
    plain: (row: { month: string }) => row.month,
    total: t('total'),
  };
}
