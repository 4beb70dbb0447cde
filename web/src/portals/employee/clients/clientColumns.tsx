import { useTranslation } from 'react-i18next';
import type { ListedClient } from '../../../api/types';
import { localDay } from '../../../messages/format';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { CompanyLink, IsoLink } from '../../../shared/records/links';
import { DateText } from '../../../ui/DateText';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';

export const clientName = (client: ListedClient) => `${client.first_name} ${client.last_name}`;

/** Columns of clients. In the record of a company or an ISO partner, both are left out and the day added is shown. */
export function useClientColumns({ inRecord = false } = {}): GridColumn<ListedClient>[] {
  const { t } = useTranslation(['employee', 'common']);
  const parents: GridColumn<ListedClient>[] = [
    {
      key: 'company',
      header: t('column.company'),
      cell: (client) => <CompanyLink id={client.company_id} name={client.company_name} />,
    },
    {
      key: 'iso',
      extra: true,
      header: t('column.iso'),
      cell: (client) => <IsoLink id={client.iso_id} name={client.iso_name} />,
    },
  ];
  return [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'first_name',
      phone: 'title',
      link: clientName,
      cell: () => null,
    },
    {
      key: 'email',
      whole: true,
      header: t('column.email'),
      phone: 'text',
      cell: (client) => <EmailWithFailure email={client.email} failure={client.email_failure} />,
    },
    {
      key: 'phone',
      whole: true,
      extra: true,
      header: t('column.phone'),
      cell: (client) => client.phone ?? '—',
    },
    ...(inRecord ? [] : parents),
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
      hidden: !inRecord,
      phone: inRecord ? 'end' : undefined,
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
  ];
}
