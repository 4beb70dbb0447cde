import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { tableState } from '../../../shared/tableState';
import { DataTable, type Column } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { StatusBadge } from '../../../ui/StatusBadge';
import { ClientLink, CompanyLink } from '../records/links';

const NEWEST_LIMIT = 5;

/** Newest clients; the first tab has all. */
export function NewestClients() {
  const { t } = useTranslation(['employee', 'common']);
  const { more: _, ...state } = tableState(useInfiniteQuery(queries.clients({ limit: NEWEST_LIMIT })));
  const columns: Column<Client>[] = [
    { key: 'name', header: t('column.name'), cell: (client) => <ClientLink client={client} /> },
    {
      key: 'company',
      header: t('column.company'),
      cell: (client) => <CompanyLink id={client.company_id} name={client.company_name} />,
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    { key: 'added', header: t('clients.added'), cell: (client) => <RelativeTime at={client.created_at} /> },
  ];
  // The tab shows the error.
  if (state.rows?.length === 0) return null;
  return (
    <Section title={t('clients.newest')} flush>
      <DataTable
        label={t('clients.newest')}
        columns={columns}
        state={{ ...state, rows: state.rows?.slice(0, NEWEST_LIMIT) }}
        expected={NEWEST_LIMIT}
        rowKey={(client) => client.id}
        empty={null}
      />
    </Section>
  );
}
