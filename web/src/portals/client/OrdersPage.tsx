import { Anchor, Button, Stack } from '@mantine/core';
import { IconFolderPlus, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import type { Spv } from '../../api/types';
import { paths } from '../../paths';
import { tableState } from '../../shared/tableState';
import { useParam } from '../../shared/queryParams';
import { OrderLabel } from '../../shared/spvs/OrderLabel';
import { orderName } from '../../shared/spvs/orderName';
import { OwnRequests } from '../../shared/requests/OwnRequests';
import { DataTable, type Column } from '../../ui/DataTable';
import { DateText } from '../../ui/DateText';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';

export function Component() {
  const { t } = useTranslation(['client', 'common', 'requests']);
  const [q, setQ] = useParam('q');
  const state = tableState(useInfiniteQuery(queries.spvs({ q: q || undefined })));
  const columns: Column<Spv>[] = [
    {
      key: 'identifier',
      header: t('orders.identifier'),
      cell: (spv) => (
        <OrderLabel
          spv={spv}
          link={(name, isIdentifier) => (
            <Anchor
              component={Link}
              to={paths.clientOrder(spv.id)}
              className={isIdentifier ? 'mono' : undefined}
              fz={isIdentifier ? undefined : 'inherit'}
              fw={500}
            >
              {name}
            </Anchor>
          )}
        />
      ),
    },
    {
      key: 'number',
      header: t('orders.number'),
      cell: (spv) => <span className="mono">{spv.order_number}</span>,
    },
    { key: 'ordered', header: t('orders.ordered'), cell: (spv) => <DateText day={spv.ordered_date} /> },
    {
      key: 'status',
      header: t('common:status'),
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
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
          <DataTable
            label={t('orders.all')}
            columns={columns}
            state={state}
            rowKey={(spv) => spv.id}
            empty={
              <EmptyState
                icon={<IconFolderPlus size={20} />}
                title={q ? t('common:no_match', { q }) : t('orders.empty')}
              />
            }
          />
        </Section>
        <OwnRequests
          kind="order"
          title={t('requests:own.title')}
          empty={t('requests:own.empty')}
          orderPath={paths.clientOrder}
        />
      </Stack>
    </>
  );
}
