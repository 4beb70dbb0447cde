import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { paths } from '../../../paths';
import { rowsState } from '../../../shared/grid/listState';
import type { GridColumn } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { CompanyLink } from '../../../shared/records/links';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { StatusBadge } from '../../../ui/StatusBadge';

const NEWEST_LIMIT = 5;

/** Newest clients; the first tab has all. */
export function NewestClients() {
  const { t } = useTranslation(['employee', 'common']);
  const { more: _, ...state } = rowsState(useInfiniteQuery(queries.clients({ limit: NEWEST_LIMIT })));
  const columns: GridColumn<Client>[] = [
    {
      key: 'name',
      phone: 'title',
      header: t('column.name'),
      link: (client) => `${client.first_name} ${client.last_name}`,
      cell: () => null,
    },
    {
      key: 'company',
      phone: 'text',
      header: t('column.company'),
      cell: (client) => <CompanyLink id={client.company_id} name={client.company_name} />,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'added',
      phone: 'end',
      header: t('clients.added'),
      cell: (client) => <RelativeTime at={client.created_at} />,
    },
  ];
  // The tab shows the error.
  if (state.rows?.length === 0) return null;
  return (
    <Section title={t('clients.newest')} flush>
      <RowGrid
        label={t('clients.newest')}
        columns={columns}
        state={{ ...state, rows: state.rows?.slice(0, NEWEST_LIMIT) }}
        expected={NEWEST_LIMIT}
        hrefOf={(client) => paths.employeeClient(client.id)}
        rowKey={(client) => client.id}
        empty={null}
      />
    </Section>
  );
}
