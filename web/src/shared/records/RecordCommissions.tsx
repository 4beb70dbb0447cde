import { IconCoin } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../api/lists';
import type { Commission } from '../../api/types';
import { paths } from '../../paths';
import { EmptyState } from '../../ui/EmptyState';
import { useCommissionColumns } from '../commissions/commissionColumns';
import { RecordGrid } from './RecordGrid';

interface Props {
  of: { iso_id?: string; run_id?: string };
  /** The record is not the partner. */
  withIso?: boolean;
}

/** Commissions of a partner or a payout run. */
export function RecordCommissions({ of, withIso = false }: Props) {
  const { t } = useTranslation('commissions');
  return (
    <RecordGrid<Commission>
      label={t('ledger')}
      columns={useCommissionColumns({ staff: true, withIso })}
      rows={(order) => lists.commissions({ ...of, order })}
      rowKey={(row) => row.id}
      hrefOf={(row) => paths.employeeOrder(row.spv_id)}
      defaultSort={{ key: 'earned_date', descending: true }}
      sumColumn="amount"
      empty={<EmptyState icon={<IconCoin size={20} />} title={t('empty')} />}
    />
  );
}
