import { Group } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { CompanyClient } from '../../api/types';
import { localDay, number } from '../../messages/format';
import { paths } from '../../paths';
import { rowsState } from '../../shared/grid/listState';
import { useParam } from '../../shared/queryParams';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { DateText } from '../../ui/DateText';
import { InfoTooltip } from '../../ui/InfoTooltip';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { Tag } from '../../ui/Tag';
import { useCompany } from './companyContext';

/**
 * Clients of the company with the progress of their orders. Own clients without an order are marked, because the
 * overview excludes them.
 */
export function Component() {
  const { t } = useTranslation(['company', 'names', 'common', 'dashboards']);
  const company = useCompany();
  const [q, setQ] = useParam('q');
  const overview = useQuery(queries.companyDashboard(company.id));
  const state = rowsState(useInfiniteQuery(queries.companyClients(company.id, { q: q || undefined })));
  const name = (client: CompanyClient) => `${client.first_name} ${client.last_name}`;
  const columns: GridColumn<CompanyClient>[] = [
    {
      key: 'name',
      phone: 'title',
      header: t('names:field.name'),
      link: name,
      cell: (client) => (
        <Group gap="xs">
          {!client.ordered && <Tag tone="wait">{t('clients.no_orders')}</Tag>}
          {!client.company_id && <Tag tone="rest">{t('clients.moved')}</Tag>}
        </Group>
      ),
    },
    {
      key: 'email',
      whole: true,
      phone: 'text',
      header: t('names:field.email'),
      cell: (client) => client.email,
    },
    {
      key: 'iso',
      header: t('spvs.partner'),
      cell: (client) => client.iso_name ?? (client.company_id ? t('dashboards:company.unassigned') : '—'),
    },
    {
      key: 'status',
      phone: 'side',
      width: 116,
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'spvs',
      width: 90,
      align: 'right',
      header: t('clients.spvs'),
      explain: t('clients.spvs_text'),
      cell: (client) => number(client.spvs),
    },
    {
      key: 'closed',
      width: 110,
      align: 'right',
      header: t('clients.closed'),
      explain: t('clients.closed_text'),
      cell: (client) => number(client.closed),
    },
    {
      key: 'progress',
      width: 170,
      header: t('dashboards:progress'),
      explain: t('clients.progress_text'),
      cell: (client) => (
        <ProgressBar percent={client.percent} label={t('dashboards:progress_of', { name: name(client) })} />
      ),
    },
    {
      key: 'since',
      phone: 'end',
      width: 110,
      header: t('clients.since'),
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('nav.clients')}
        text={
          <>
            {t('clients.text')}
            {/* A reserved line, so the list does not shift. */}
            <div>
              {overview.data ? (
                <>
                  {t('clients.counted', { count: overview.data.active_clients })}
                  <InfoTooltip about={t('nav.clients')} text={t('overview.active_clients')} />
                </>
              ) : (
                <>&nbsp;</>
              )}
            </div>
          </>
        }
      />
      <Section
        title={t('clients.list')}
        flush
        actions={<SearchBox label={t('clients.search')} value={q} onChange={setQ} />}
      >
        <RowGrid
          main
          label={t('clients.list')}
          columns={columns}
          state={state}
          rowKey={(client) => client.id}
          hrefOf={(client) => (client.spvs > 0 ? paths.companySpvsOf({ q: name(client) }) : undefined)}
          empty={
            <EmptyState
              icon={<IconUsers size={20} />}
              title={q ? t('common:no_match', { q }) : t('dashboards:no_clients')}
              text={q ? undefined : t('clients.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}
