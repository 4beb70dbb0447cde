import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Commission } from '../../api/types';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import { Prose } from '../../ui/Prose';
import { StatusBadge } from '../../ui/StatusBadge';
import type { GridColumn } from '../../ui/grid/columns';
import { ClientLink, IsoLink } from '../records/links';
import { Rule } from './Rule';
import { OrderLabel } from '../spvs/OrderLabel';

interface Options {
  /** Names lead to the records of staff. */
  staff: boolean;
  withIso: boolean;
}

/** Columns of commissions: source, rule, amount and status. */
export function useCommissionColumns({ staff, withIso }: Options): GridColumn<Commission>[] {
  const { t } = useTranslation(['commissions', 'common']);
  return [
    {
      key: 'order',
      header: t('column.order'),
      phone: 'title',
      link: (row) => <OrderLabel spv={{ vehicle_name: row.vehicle_name, identifier: row.spv_identifier }} />,
      cell: (row) => (
        <Text size="xs" c="dimmed">
          {withIso && (
            <>
              <IsoLink id={row.iso_id} name={row.iso_name} /> ·{' '}
            </>
          )}
          {staff ? <ClientLink id={row.client.id} name={row.client.name} /> : row.client.name}
        </Text>
      ),
    },
    {
      key: 'earned',
      header: t('column.earned'),
      sort: 'earned_date',
      descendingFirst: true,
      phone: 'text',
      cell: (row) => <DateText day={row.earned_date} />,
    },
    {
      key: 'rule',
      header: t('column.rule'),
      explain: t('column.rule_text'),
      cell: (row) => <Rule row={row} />,
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'end',
      cell: (row) => (
        <>
          <StatusBadge kind="commission" status={row.status} />
          {(row.run ?? row.reason) && (
            <Text size="xs" c="dimmed" mt={2} lineClamp={2}>
              <Prose>{row.run ?? row.reason}</Prose>
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'amount',
      header: t('column.amount'),
      explain: t('column.amount_text'),
      align: 'right',
      sort: 'amount',
      descendingFirst: true,
      phone: 'side',
      cell: (row) => <Money amount={row.amount} currency={row.currency} />,
    },
  ];
}
