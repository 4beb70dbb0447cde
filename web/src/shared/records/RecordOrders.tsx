import { Switch } from '@mantine/core';
import { IconFolders } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { lists } from '../../api/lists';
import type { Spv } from '../../api/types';
import { DateText } from '../../ui/DateText';
import { EmptyState } from '../../ui/EmptyState';
import { Money } from '../../ui/Money';
import { ProgressBar } from '../../ui/ProgressBar';
import { StatusBadge } from '../../ui/StatusBadge';
import type { GridColumn } from '../../ui/grid/columns';
import { useFlag } from '../queryParams';
import { OrderLabel } from '../spvs/OrderLabel';
import { orderName } from '../spvs/orderName';
import { ClientLink } from './links';
import { RecordGrid } from './RecordGrid';
import { countText } from './RecordTabs';
import classes from './RecordOrders.module.css';

interface OrdersOf {
  client_id?: string;
  company_id?: string;
  iso_id?: string;
}

/** Number of orders of a record that are neither closed nor cancelled; a dash while it is unknown. */
export function useOpenOrderCount(of: OrdersOf): string {
  const total = useInfiniteQuery(lists.spvs({ ...of, open: true })).data?.total;
  return total ? (countText(total.rows, !total.exact) ?? '0') : '—';
}

interface Props {
  of: OrdersOf;
  pathOf: (id: string) => string;
  /** The record is not the client. */
  withClient?: boolean;
}

/** Orders of a record, with the step that each is at. Where some are open, a switch shows the others. */
export function RecordOrders({ of, pathOf, withClient = false }: Props) {
  const { t } = useTranslation(['shell', 'client', 'common', 'names', 'dashboards']);
  const all = useInfiniteQuery(lists.spvs(of)).data?.total;
  const open = useInfiniteQuery(lists.spvs({ ...of, open: true })).data?.total;
  const [showsClosed, setShowsClosed] = useFlag('closed');
  // Counting ends at a limit, so that both may be the same.
  const isMixed = Boolean(all && open && open.rows > 0 && (open.rows < all.rows || !all.exact));
  // Also while the number of open orders is unknown.
  const onlyOpen = !showsClosed && open?.rows !== 0;
  const columns: GridColumn<Spv>[] = [
    {
      key: 'order',
      header: t('client:orders.identifier'),
      sort: 'vehicle_name',
      phone: 'title',
      link: (spv) => <OrderLabel spv={spv} />,
      cell: () => null,
    },
    {
      key: 'step',
      header: t('record.current_step'),
      phone: 'text',
      cell: (spv) => (spv.status !== 'cancelled' && spv.current_step) || '—',
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'side',
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      extra: true,
      width: 150,
      header: t('client:orders.progress'),
      cell: (spv) => (
        <ProgressBar
          percent={spv.progress.percent}
          label={t('client:order.progress_of', { name: orderName(spv) })}
        />
      ),
    },
    {
      key: 'ordered',
      header: t('client:orders.ordered'),
      sort: 'ordered_date',
      descendingFirst: true,
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'amount',
      header: t('dashboards:amount'),
      explain: t('dashboards:amount_listed_text'),
      align: 'right',
      sort: 'amount',
      descendingFirst: true,
      phone: 'end',
      cell: (spv) => <Money amount={spv.amount} currency={spv.currency} />,
    },
  ];
  if (withClient) {
    columns.splice(1, 0, {
      key: 'client',
      header: t('dashboards:client'),
      cell: (spv) => <ClientLink id={spv.client_id} name={spv.client_name} />,
    });
  }
  return (
    <>
      {isMixed && (
        <div className={classes.tools}>
          <Switch
            label={t('record.show_closed')}
            checked={showsClosed}
            onChange={(event) => setShowsClosed(event.currentTarget.checked)}
          />
        </div>
      )}
      <RecordGrid<Spv>
        label={t('record.orders')}
        columns={columns}
        rows={(order) => lists.spvs({ ...of, order, ...(onlyOpen && { open: true }) })}
        rowKey={(spv) => spv.id}
        hrefOf={(spv) => pathOf(spv.id)}
        defaultSort={{ key: 'ordered_date', descending: true }}
        sumColumn="amount"
        empty={<EmptyState icon={<IconFolders size={20} />} title={t('record.no_orders')} />}
      />
    </>
  );
}
