import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { ListedClient } from '../../../api/types';
import { localDay } from '../../../messages/format';
import { paths } from '../../../paths';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { RecordGrid } from '../../../shared/records/RecordGrid';
import { DateText } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';

const nameOf = (client: ListedClient) => `${client.first_name} ${client.last_name}`;

/** Clients of a company or an ISO partner. */
export function RecordClients({ of }: { of: { company_id?: string; iso_id?: string } }) {
  const { t } = useTranslation(['employee', 'common']);
  const columns: GridColumn<ListedClient>[] = [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'first_name',
      phone: 'title',
      link: nameOf,
      cell: () => null,
    },
    {
      key: 'email',
      whole: true,
      header: t('column.email'),
      phone: 'text',
      cell: (client) => <EmailWithFailure email={client.email} failure={client.email_failure} />,
    },
    { key: 'phone', whole: true, header: t('column.phone'), cell: (client) => client.phone ?? '—' },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'side',
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'added',
      header: t('clients.added'),
      sort: 'created_at',
      descendingFirst: true,
      phone: 'end',
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
  ];
  return (
    <RecordGrid<ListedClient>
      label={t('tab.clients')}
      columns={columns}
      rows={(order) => lists.clients({ ...of, order })}
      rowKey={(client) => client.id}
      hrefOf={(client) => paths.employeeClient(client.id)}
      defaultSort={{ key: 'created_at', descending: true }}
      empty={<EmptyState icon={<IconUsers size={20} />} title={t('clients.empty')} />}
    />
  );
}
