import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { ListedClient } from '../../../api/types';
import { localDay, number } from '../../../messages/format';
import { paths } from '../../../paths';
import { ListGrid } from '../../../shared/grid/ListGrid';
import { DateText } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { ProgressBar } from '../../../ui/ProgressBar';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';

/** Clients of the partner. */
export function Component() {
  const { t } = useTranslation(['partners', 'names', 'common', 'dashboards']);
  const name = (client: ListedClient) => `${client.first_name} ${client.last_name}`;
  const columns: GridColumn<ListedClient>[] = [
    {
      key: 'name',
      header: t('names:field.name'),
      sort: 'first_name',
      phone: 'title',
      link: name,
      cell: () => null,
    },
    {
      key: 'email',
      whole: true,
      header: t('names:field.email'),
      phone: 'text',
      cell: (client) => client.email,
    },
    {
      key: 'phone',
      whole: true,
      extra: true,
      header: t('names:field.phone'),
      cell: (client) => client.phone ?? '—',
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'side',
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
      sort: 'created_at',
      descendingFirst: true,
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
  ];
  return (
    <>
      <PageHeader title={t('clients.title')} text={t('clients.text')} />
      <Section title={t('clients.list')} flush>
        <ListGrid<ListedClient>
          list="clients"
          label={t('clients.list')}
          columns={columns}
          rows={({ q, order, limit }) => lists.clients({ q, order, limit })}
          rowKey={(client) => client.id}
          rowName={name}
          defaultSort={{ key: 'created_at', descending: true }}
          hrefOf={(client) => paths.isoClient(client.id)}
          search={t('clients.search')}
          empty={
            <EmptyState
              icon={<IconUsers size={20} />}
              title={t('clients.empty')}
              text={t('clients.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}
