import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { ListedClient } from '../../../api/types';
import { paths } from '../../../paths';
import { RecordGrid } from '../../../shared/records/RecordGrid';
import { EmptyState } from '../../../ui/EmptyState';
import { useClientColumns } from '../clients/clientColumns';

/** Clients of a company or an ISO partner. */
export function RecordClients({ of }: { of: { company_id?: string; iso_id?: string } }) {
  const { t } = useTranslation('employee');
  return (
    <RecordGrid<ListedClient>
      label={t('tab.clients')}
      columns={useClientColumns({ inRecord: true })}
      rows={(order) => lists.clients({ ...of, order })}
      rowKey={(client) => client.id}
      hrefOf={(client) => paths.employeeClient(client.id)}
      defaultSort={{ key: 'created_at', descending: true }}
      empty={<EmptyState icon={<IconUsers size={20} />} title={t('clients.empty')} />}
    />
  );
}
