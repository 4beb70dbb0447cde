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
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { CompanyLink, IsoLink } from '../../../shared/records/links';
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

const nameOf = (client: ListedClient) => `${client.first_name} ${client.last_name}`;

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
    {
      key: 'phone',
      whole: true,
      extra: true,
      header: t('column.phone'),
      cell: (client) => client.phone ?? '—',
    },
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
      hidden: true,
      cell: (client) => <DateText day={localDay(client.created_at)} />,
    },
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
        rowName={nameOf}
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
