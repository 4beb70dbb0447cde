import { IconFolders } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { Spv } from '../../../api/types';
import { paths } from '../../../paths';
import { OrderLabel } from '../../../shared/spvs/OrderLabel';
import { orderName } from '../../../shared/spvs/orderName';
import { rowsState } from '../../../shared/grid/listState';
import { useMe } from '../../../shared/session/me';
import { Crumb } from '../../../shared/shell/Crumb';
import type { GridColumn } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { DateText } from '../../../ui/DateText';
import { Money } from '../../../ui/Money';
import { PageHeader } from '../../../ui/PageHeader';
import { ProgressBar } from '../../../ui/ProgressBar';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { RecordError } from '../../../shared/records/RecordError';
import { StatusBadge } from '../../../ui/StatusBadge';
import { TwoColumns } from '../../../ui/TwoColumns';
import { Notes } from './Notes';

/** Client page of the partner: orders, progress and private notes. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['partners', 'names', 'common', 'dashboards']);
  const me = useMe();
  const { data: client, error, refetch } = useQuery(queries.client(id));
  const state = rowsState(useInfiniteQuery(queries.spvs({ client_id: id })));
  const columns: GridColumn<Spv>[] = [
    {
      key: 'order',
      phone: 'title',
      header: t('clients.order'),
      link: (spv) => <OrderLabel spv={spv} />,
      cell: () => null,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      header: t('clients.progress'),
      explain: t('dashboards:progress_text'),
      cell: (spv) => <ProgressBar percent={spv.progress.percent} label={orderName(spv)} />,
    },
    {
      key: 'ordered',
      phone: 'text',
      header: t('clients.ordered'),
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'commission',
      phone: 'end',
      header: t('names:field.commission'),
      explain: t('clients.commission_text'),
      align: 'right',
      cell: (spv) => (
        <Money amount={spv.status === 'cancelled' ? null : spv.iso_commission} currency={spv.currency} />
      ),
    },
  ];
  const list = { to: paths.isoClients, name: t('clients.title') };
  if (error && !client)
    return (
      <RecordError
        error={error}
        kind={t('names:field.client_id')}
        list={list}
        onRetry={() => void refetch()}
      />
    );
  return (
    <>
      <PageHeader
        trail={<Crumb to={list.to}>{list.name}</Crumb>}
        title={client ? `${client.first_name} ${client.last_name}` : '…'}
        // A line is kept free while it loads.
        text={client ? [client.email, client.phone].filter(Boolean).join(' · ') : '\u00a0'}
        status={client && <StatusBadge kind="profile" status={client.status} />}
      />
      <TwoColumns
        main={
          <Section title={t('clients.orders')} flush>
            <RowGrid
              main
              label={t('clients.orders')}
              columns={columns}
              state={state}
              hrefOf={(spv) => paths.isoOrder(spv.id)}
              rowKey={(spv) => spv.id}
              empty={<EmptyState icon={<IconFolders size={20} />} title={t('clients.no_orders')} />}
            />
          </Section>
        }
        // Hidden during impersonation. After the orders, below which they stand on a narrow screen.
        side={!me.impersonation && (state.rows || state.error) && <Notes clientId={id} />}
      />
    </>
  );
}
