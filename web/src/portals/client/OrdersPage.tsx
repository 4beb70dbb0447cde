import { Button, Stack } from '@mantine/core';
import { IconFolderPlus, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import type { Spv } from '../../api/types';
import { paths } from '../../paths';
import { rowsState } from '../../shared/grid/listState';
import { useParam } from '../../shared/queryParams';
import { isActive } from '../../shared/spvs/dueDates';
import { OrderLabel } from '../../shared/spvs/OrderLabel';
import { orderName, orderNumber } from '../../shared/spvs/orderName';
import { OwnRequests } from '../../shared/requests/OwnRequests';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { DateText } from '../../ui/DateText';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';

export function Component() {
  const { t } = useTranslation(['client', 'common', 'names', 'requests', 'shell']);
  const [q, setQ] = useParam('q');
  const state = rowsState(useInfiniteQuery(queries.spvs({ q: q || undefined })));
  const hasNumbers = !state.rows || state.rows.some((spv) => orderNumber(spv));
  const columns: GridColumn<Spv>[] = [
    {
      key: 'identifier',
      phone: 'title',
      header: t('orders.identifier'),
      link: (spv) => <OrderLabel spv={spv} />,
      cell: () => null,
    },
    {
      key: 'number',
      header: t('orders.number'),
      cell: (spv) => (orderNumber(spv) ? <span className="mono">{spv.order_number}</span> : '—'),
    },
    {
      key: 'step',
      header: t('shell:record.current_step'),
      cell: (spv) => (isActive(spv) && spv.current_step) || '—',
    },
    {
      key: 'country',
      header: t('order.country'),
      cell: (spv) => t(`names:country.${spv.country}`),
    },
    {
      key: 'ordered',
      phone: 'text',
      header: t('orders.ordered'),
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      phone: 'end',
      header: t('orders.progress'),
      cell: (spv) => (
        <ProgressBar
          percent={spv.progress.percent}
          label={t('order.progress_of', { name: orderName(spv) })}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t('orders.title')}
        actions={
          <Button component={Link} to={paths.clientNewOrder} leftSection={<IconPlus size={15} />}>
            {t('requests:own.new')}
          </Button>
        }
      />
      <Stack gap="md">
        <Section
          title={t('orders.all')}
          flush
          actions={<SearchBox label={t('orders.search')} value={q} onChange={setQ} />}
        >
          <RowGrid
            main
            label={t('orders.all')}
            columns={columns}
            state={state}
            hidden={hasNumbers ? [] : ['number']}
            hrefOf={(spv) => paths.clientOrder(spv.id)}
            rowKey={(spv) => spv.id}
            empty={
              <EmptyState
                icon={<IconFolderPlus size={20} />}
                title={q ? t('common:no_match', { q }) : t('orders.empty')}
              />
            }
          />
        </Section>
        {/* With the orders above it: nothing moves. */}
        <div hidden={!state.rows && !state.error}>
          <OwnRequests
            kind="order"
            limit={10}
            title={t('requests:own.title')}
            empty={t('requests:own.empty')}
            orderPath={paths.clientOrder}
          />
        </div>
      </Stack>
    </>
  );
}
