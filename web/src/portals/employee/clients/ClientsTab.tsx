import { Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { tableState } from '../../../shared/tableState';
import { useFlag, useParam } from '../../../shared/queryParams';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { useMe } from '../../../shared/session/me';
import { DataTable, type Column } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { SpvForm } from '../spvs/SpvForm';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, previewState, useListPath } from '../preview';
import { Toolbar } from '../Toolbar';
import { ViewAll } from '../ViewAll';
import { ClientLink, CompanyLink, IsoLink } from '../records/links';
import { ClientEdit } from './ClientEdit';
import { ClientForm, type Setup } from './ClientForm';
import { ClientMenu } from './ClientMenu';

type Dialog = { edit: Client } | { order: Pick<Client, 'id'> } | null;

const setups: Setup[] = ['quick', 'full'];

/** The list; on the dashboard only its first rows. */
export function ClientsTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [archived, setArchived] = useFlag('archived');
  const [dialog, setDialog] = useState<Dialog>(null);
  const status = archived ? 'archived' : undefined;
  const query = { q: q || undefined, status };
  const all = tableState(
    useInfiniteQuery(queries.clients(preview ? { ...query, limit: PREVIEW_ROWS } : query)),
  );
  const state = preview ? previewState(all) : all;
  const listPath = useListPath('clients');
  const [asked, setAsked] = useParam('new');
  const setup = setups.find((one) => one === asked);
  const close = () => {
    setDialog(null);
    setAsked('');
  };

  const columns: Column<Client>[] = [
    { key: 'name', header: t('column.name'), cell: (client) => <ClientLink client={client} /> },
    {
      key: 'email',
      header: t('column.email'),
      wide: true,
      whole: true,
      cell: (client) => <EmailWithFailure email={client.email} failure={client.email_failure} />,
    },
    { key: 'phone', header: t('column.phone'), whole: true, cell: (client) => client.phone ?? '—' },
    {
      key: 'company',
      header: t('column.company'),
      cell: (client) => <CompanyLink id={client.company_id} name={client.company_name} />,
    },
    {
      key: 'iso',
      header: t('column.iso'),
      cell: (client) => <IsoLink id={client.iso_id} name={client.iso_name} />,
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (client) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (client) => (
        <ClientMenu
          client={client}
          onEdit={() => setDialog({ edit: client })}
          onOrder={() => setDialog({ order: client })}
        />
      ),
    },
  ];
  const empty = archived ? t('clients.none_archived') : t('clients.empty');
  return (
    <>
      <Toolbar
        searchLabel={t('clients.search')}
        q={q}
        onSearch={setQ}
        archived={{ shown: archived, onChange: setArchived }}
      >
        <ExportButton
          name="clients"
          load={() =>
            body(
              api.GET('/rest/v1/clients.csv', {
                params: { query },
                parseAs: 'blob',
              }),
            )
          }
        />
        {me.can.includes('create_client') && (
          <>
            <Button variant="default" onClick={() => setAsked('quick')}>
              {t('clients.quick')}
            </Button>
            <Button onClick={() => setAsked('full')}>{t('clients.full')}</Button>
          </>
        )}
      </Toolbar>
      <DataTable
        label={t('tab.clients')}
        columns={columns}
        state={state}
        rowKey={(client) => client.id}
        empty={<EmptyState icon={<IconUsers size={20} />} title={q ? t('common:no_match', { q }) : empty} />}
      />
      {preview && <ViewAll to={listPath} list={t('tab.clients')} />}
      {setup && !dialog && (
        <ClientForm
          setup={setup}
          onClose={close}
          onOrderInstead={(id) => {
            setAsked('');
            setDialog({ order: { id } });
          }}
        />
      )}
      {dialog && 'edit' in dialog && <ClientEdit client={dialog.edit} onClose={close} />}
      {dialog && 'order' in dialog && (
        <SpvForm clientId={dialog.order.id} onClose={close} onCreated={close} />
      )}
    </>
  );
}
