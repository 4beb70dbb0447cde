import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Client } from '../../../api/types';
import { DataTable, type Column, type TableState } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { ClientLink } from './links';

/** Clients of a company or an ISO partner. */
export function RecordClients({ state }: { state: TableState<Client> }) {
  const { t } = useTranslation(['employee', 'common']);
  const columns: Column<Client>[] = [
    { key: 'name', header: t('column.name'), cell: (client) => <ClientLink client={client} /> },
    { key: 'email', header: t('column.email'), wide: true, whole: true, cell: (client) => client.email },
    {
      key: 'status',
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    { key: 'added', header: t('clients.added'), cell: (client) => <RelativeTime at={client.created_at} /> },
  ];
  return (
    <DataTable
      label={t('tab.clients')}
      columns={columns}
      state={state}
      rowKey={(client) => client.id}
      empty={<EmptyState icon={<IconUsers size={20} />} title={t('clients.empty')} />}
    />
  );
}
