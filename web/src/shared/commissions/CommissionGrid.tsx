import { IconCoin } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { lists, type CommissionQuery } from '../../api/lists';
import type { Commission, CommissionStatus } from '../../api/types';
import { EmptyState } from '../../ui/EmptyState';
import { ExportButton } from '../ExportButton';
import { parseDays, useDaysFilter } from '../grid/daysFilter';
import { ListGrid, type GridQuery } from '../grid/ListGrid';
import { useCommissionColumns } from './commissionColumns';
import { commissionsCsv } from './exports';

const states: CommissionStatus[] = ['pending', 'approved', 'paid', 'void'];

interface Props {
  /** Staff see the partner. */
  withIso?: boolean;
  /** Path of the order's page. */
  orderPath?: (id: string) => string;
  /** Buttons of a row. */
  actions?: (row: Commission) => ReactNode;
  /** Actions on the selected rows, besides the export. */
  bulk?: (rows: Commission[], clear: () => void) => ReactNode;
}

function commissionQuery({ filters, ...query }: GridQuery): CommissionQuery {
  return { ...query, ...parseDays(filters.days), status: states.find((known) => known === filters.status) };
}

/** Commission ledger: source, rule, amount and status. */
export function CommissionGrid({ withIso = false, orderPath, actions, bulk }: Props) {
  const { t } = useTranslation(['commissions', 'names', 'common']);
  const columns = useCommissionColumns({ staff: withIso, withIso });
  if (actions) {
    columns.push({ key: 'actions', header: t('common:actions'), actions: true, cell: actions });
  }
  return (
    <ListGrid<Commission>
      list="commissions"
      label={t('ledger')}
      columns={columns}
      rows={(query) => lists.commissions(commissionQuery(query))}
      rowKey={(row) => row.id}
      rowName={(row) => row.spv_identifier}
      defaultSort={{ key: 'earned_date', descending: true }}
      hrefOf={orderPath && ((row) => orderPath(row.spv_id))}
      filters={[
        {
          key: 'status',
          label: t('common:status'),
          choices: states.map((value) => ({ value, label: t(`names:commission_status.${value}`) })),
        },
        useDaysFilter(t('column.earned')),
      ]}
      search={t('search')}
      views={(['pending', 'approved', 'paid'] as const).map((status) => ({
        key: status,
        name: t(`names:commission_status.${status}`),
        query: `status=${status}`,
      }))}
      sumColumn="amount"
      amountOf={(row) => row}
      bulk={(rows, clear) => (
        <>
          {bulk?.(rows, clear)}
          <ExportButton
            name="commissions"
            load={() => commissionsCsv({ ids: rows.map(({ id }) => id).join(',') })}
          />
        </>
      )}
      actions={(query) => (
        <ExportButton name="commissions" load={() => commissionsCsv(commissionQuery(query))} />
      )}
      empty={<EmptyState icon={<IconCoin size={20} />} title={t('empty')} text={t('empty_text')} />}
    />
  );
}
