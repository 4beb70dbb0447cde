import { Anchor } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { ListedClient } from '../../../api/types';
import { localDay, number } from '../../../messages/format';
import { paths } from '../../../paths';
import { tableState } from '../../../shared/tableState';
import { useParam } from '../../../shared/queryParams';
import { DataTable, type Column } from '../../../ui/DataTable';
import { DateText } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { ProgressBar } from '../../../ui/ProgressBar';
import { SearchBox } from '../../../ui/SearchBox';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';

/** Clients of the partner. */
export function Component() {
  const { t } = useTranslation(['partners', 'names', 'common', 'dashboards']);
  const [q, setQ] = useParam('q');
  const state = tableState(useInfiniteQuery(queries.clients({ q: q || undefined })));
  const name = (client: ListedClient) => `${client.first_name} ${client.last_name}`;
  const columns: Column<ListedClient>[] = [
    {
      key: 'name',
      header: t('names:field.name'),
      cell: (client) => (
        <Anchor component={Link} to={paths.isoClient(client.id)} fz="inherit" fw={500}>
          {name(client)}
        </Anchor>
      ),
    },
    { key: 'email', header: t('names:field.email'), wide: true, whole: true, cell: (client) => client.email },
    { key: 'phone', header: t('names:field.phone'), whole: true, cell: (client) => client.phone ?? '—' },
    {
      key: 'status',
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'spvs',
      align: 'right',
      header: t('clients.orders'),
      explain: t('clients.spvs_text'),
      cell: (client) => number(client.progress?.spvs ?? 0),
    },
    {
      key: 'progress',
      width: 170,
      header: t('clients.progress'),
      explain: t('clients.progress_text'),
      cell: (client) => (
        <ProgressBar
          percent={client.progress?.percent ?? 0}
          label={t('dashboards:progress_of', { name: name(client) })}
        />
      ),
    },
    {
      key: 'since',
      header: t('clients.since'),
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
  ];
  return (
    <>
      <PageHeader title={t('clients.title')} text={t('clients.text')} />
      <Section
        title={t('clients.list')}
        flush
        actions={<SearchBox label={t('clients.search')} value={q} onChange={setQ} />}
      >
        <DataTable
          label={t('clients.list')}
          columns={columns}
          state={state}
          rowKey={(client) => client.id}
          empty={
            <EmptyState
              icon={<IconUsers size={20} />}
              title={q ? t('common:no_match', { q }) : t('clients.empty')}
              text={q ? undefined : t('clients.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}
