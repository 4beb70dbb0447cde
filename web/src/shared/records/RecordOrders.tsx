import { Anchor, Text } from '@mantine/core';
import { IconFolders } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Spv } from '../../api/types';
import { DataTable, type Column, type TableState } from '../../ui/DataTable';
import { DateText } from '../../ui/DateText';
import { EmptyState } from '../../ui/EmptyState';
import { Money } from '../../ui/Money';
import { ProgressBar } from '../../ui/ProgressBar';
import { StatusBadge } from '../../ui/StatusBadge';

interface Props {
  state: TableState<Spv>;
  pathOf: (id: string) => string;
  /** The record is not the client. */
  withClient?: boolean;
}

/** Orders of a record, with the step that each is at. */
export function RecordOrders({ state, pathOf, withClient = false }: Props) {
  const { t } = useTranslation(['shell', 'client', 'common', 'names']);
  const columns: Column<Spv>[] = [
    {
      key: 'order',
      header: t('client:orders.identifier'),
      cell: (spv) => (
        <>
          <Anchor component={Link} to={pathOf(spv.id)} fz="inherit" fw={500}>
            {spv.vehicle_name ?? <span className="mono">{spv.identifier}</span>}
          </Anchor>
          {(withClient || spv.vehicle_name) && (
            <Text size="xs" c="dimmed">
              {[withClient && spv.client_name, spv.vehicle_name && spv.identifier]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'status',
      width: 116,
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    { key: 'step', header: t('record.current_step'), cell: (spv) => spv.current_step ?? '—' },
    {
      key: 'progress',
      width: 150,
      header: t('client:orders.progress'),
      cell: (spv) => (
        <ProgressBar
          percent={spv.progress.percent}
          label={t('client:order.progress_of', { name: spv.identifier })}
        />
      ),
    },
    { key: 'ordered', header: t('client:orders.ordered'), cell: (spv) => <DateText day={spv.ordered_date} /> },
    {
      key: 'amount',
      header: t('client:order.amount'),
      align: 'right',
      cell: (spv) => <Money amount={spv.amount} currency={spv.currency} />,
    },
  ];
  return (
    <DataTable
      label={t('record.orders')}
      columns={columns}
      state={state}
      rowKey={(spv) => spv.id}
      empty={<EmptyState icon={<IconFolders size={20} />} title={t('record.no_orders')} />}
    />
  );
}
