import { Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { lists, type ClientQuery } from '../../../api/lists';
import type { Client, ListedClient, UserStatus } from '../../../api/types';
import { paths } from '../../../paths';
import { useCompanyFilter } from '../../../shared/grid/companyFilter';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { OrderLines } from '../../../shared/records/OrderLines';
import { DetailList } from '../../../ui/DetailList';
import { EmptyState } from '../../../ui/EmptyState';
import { DateText } from '../../../ui/DateText';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';
import { localDay } from '../../../messages/format';
import { SpvForm } from '../spvs/SpvForm';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, useListPath } from '../preview';
import { ViewAll } from '../ViewAll';
import { clientName, useClientColumns } from './clientColumns';
import { ClientEdit } from './ClientEdit';
import { ClientForm, type Setup } from './ClientForm';
import { ClientMenu } from './ClientMenu';

function ClientPeek({ client }: { client: ListedClient }) {
  const { t } = useTranslation(['employee', 'common']);
  return (
    <>
      <DetailList
        details={[
          [t('common:status'), <StatusBadge key="status" kind="profile" status={client.status} />],
          [t('column.email'), client.email],
          [t('column.phone'), client.phone],
          [t('column.company'), client.company_name],
          [t('column.iso'), client.iso_name],
          [t('clients.added'), <DateText key="added" day={localDay(client.created_at)} />],
        ]}
      />
      <OrderLines of={{ client_id: client.id }} pathOf={paths.employeeOrder} />
    </>
  );
}

type Dialog = { edit: Client } | { order: Pick<Client, 'id'> } | null;

const setups: Setup[] = ['quick', 'full'];
const statuses: UserStatus[] = ['pending', 'active', 'suspended', 'archived'];

function clientQuery({ filters, ...query }: GridQuery): ClientQuery {
  return {
    ...query,
    status: statuses.find((known) => known === filters.status),
    company_id: filters.company || undefined,
  };
}

const exportClients = (query: ClientQuery) =>
  body(api.GET('/rest/v1/clients.csv', { params: { query }, parseAs: 'blob' }));

/** The list; on the dashboard only its first rows. */
export function ClientsTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const me = useMe();
  const companyFilter = useCompanyFilter();
  const [dialog, setDialog] = useState<Dialog>(null);
  const listPath = useListPath('clients');
  const [asked, setAsked] = useParam('new');
  const setup = setups.find((one) => one === asked);
  const close = () => {
    setDialog(null);
    setAsked('');
  };

  const columns: GridColumn<ListedClient>[] = [
    ...useClientColumns(),
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (client) => (
        <ClientMenu
          client={client}
          inList={{
            onEdit: () => setDialog({ edit: client }),
            onOrder: () => setDialog({ order: client }),
          }}
        />
      ),
    },
  ];
  return (
    <>
      <ListGrid<ListedClient>
        list="clients"
        label={t('tab.clients')}
        preview={preview ? PREVIEW_ROWS : undefined}
        columns={columns}
        rows={(query) => lists.clients(clientQuery(query))}
        rowKey={(client) => client.id}
        rowName={clientName}
        defaultSort={{ key: 'created_at', descending: true }}
        hrefOf={(client) => paths.employeeClient(client.id)}
        filters={[
          {
            key: 'status',
            label: t('common:status'),
            choices: statuses.map((value) => ({ value, label: t(`names:profile_status.${value}`) })),
          },
          companyFilter,
        ]}
        views={(['active', 'pending', 'archived'] as const).map((status) => ({
          key: status,
          name: t(`names:profile_status.${status}`),
          query: `status=${status}`,
        }))}
        search={t('clients.search')}
        peek={(client) => <ClientPeek client={client} />}
        bulk={(rows) => (
          <ExportButton
            name="clients"
            load={() => exportClients({ ids: rows.map(({ id }) => id).join(',') })}
          />
        )}
        actions={(query) => (
          <>
            <ExportButton name="clients" load={() => exportClients(clientQuery(query))} />
            {me.can.includes('create_client') && (
              <>
                <Button variant="default" onClick={() => setAsked('quick')}>
                  {t('clients.quick')}
                </Button>
                <Button onClick={() => setAsked('full')}>{t('clients.full')}</Button>
              </>
            )}
          </>
        )}
        empty={<EmptyState icon={<IconUsers size={20} />} title={t('clients.empty')} />}
      />
      {preview && <ViewAll to={listPath} list={t('tab.clients')} />}
      {setup && !dialog && (
        <ClientForm
          setup={setup}
          onClose={close}
          // `new` stays until the order's dialog closes: leaving it now would ask about the input of this form.
          onOrderInstead={(id) => setDialog({ order: { id } })}
        />
      )}
      {dialog && 'edit' in dialog && <ClientEdit client={dialog.edit} onClose={close} />}
      {dialog && 'order' in dialog && (
        <SpvForm clientId={dialog.order.id} onClose={close} onCreated={close} />
      )}
    </>
  );
}
