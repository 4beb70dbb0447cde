import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { lists } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { paths } from '../../../paths';
import { sumsByCurrency } from '../../../shared/grid/sums';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { CompanyLink, EmailLink, IsoLink, UserLink } from '../../../shared/records/links';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordDocuments } from '../../../shared/records/RecordDocuments';
import { RecordInvoices } from '../../../shared/records/RecordInvoices';
import { RecordOrders } from '../../../shared/records/RecordOrders';
import { countText, RecordTabs, useRowCount } from '../../../shared/records/RecordTabs';
import { useMe } from '../../../shared/session/me';
import { usePageActions } from '../../../shared/shell/registry';
import { RelativeTime } from '../../../ui/DateText';
import { StatusBadge } from '../../../ui/StatusBadge';
import { RecordPage } from '../../../shared/records/RecordPage';
import { RecordRequests } from '../records/RecordRequests';
import { RecordThreads } from '../records/RecordThreads';
import { SpvForm } from '../spvs/SpvForm';
import { ClientEdit } from './ClientEdit';
import { ClientMenu } from './ClientMenu';
import { InternalNotes } from './InternalNotes';

/** Record of a client: facts, actions and everything that belongs to them. */
export function Component() {
  const { id = '' } = useParams();
  const me = useMe();
  const { t } = useTranslation(['employee', 'names', 'shell']);
  const billing = useQuery(queries.billing({ client_id: id })).data;
  return (
    <RecordPage
      query={useQuery(queries.client(id))}
      list={{ to: paths.employeeClients, name: t('tab.clients') }}
      kind={t('column.client')}
      title={(client) => `${client.first_name} ${client.last_name}`}
      status={(client) => <StatusBadge kind="profile" status={client.status} />}
      actions={(client) => <Actions client={client} />}
      facts={(client) => [
        [
          t('column.email'),
          client.email_failure ? (
            <EmailWithFailure key="email" email={client.email} failure={client.email_failure} />
          ) : (
            <EmailLink key="email" email={client.email} />
          ),
        ],
        [t('column.phone'), client.phone],
        [
          t('column.company'),
          client.company_id && (
            <CompanyLink key="company" id={client.company_id} name={client.company_name} />
          ),
        ],
        [t('column.iso'), client.iso_id && <IsoLink key="iso" id={client.iso_id} name={client.iso_name} />],
        [t('names:field.address'), client.address],
        [
          t('shell:record.due'),
          <span key="due" className="num">
            {sumsByCurrency(billing?.owed ?? []).join(' + ') || '—'}
          </span>,
        ],
        // Paid beyond what credit notes left; rare.
        [
          t('shell:record.credit'),
          billing && billing.credit.length > 0 ? (
            <span key="credit" className="num">
              {sumsByCurrency(billing.credit).join(' + ')}
            </span>
          ) : null,
        ],
        [
          t('shell:record.account'),
          me.role === 'super_admin' ? (
            <UserLink key="account" id={client.user_id} name={`${client.first_name} ${client.last_name}`} />
          ) : null,
        ],
        [t('clients.added'), <RelativeTime key="added" at={client.created_at} />],
      ]}
    >
      <ClientTabs id={id} />
    </RecordPage>
  );
}

function Actions({ client }: { client: Client }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [dialog, setDialog] = useState<'edit' | 'order' | null>(null);
  const close = () => setDialog(null);
  const mayEdit = client.can.includes('update');
  const mayOrder = me.can.includes('create_spv') && client.can.includes('create_spv');
  usePageActions([
    ...(mayOrder ? [{ label: t('spvs.create'), run: () => setDialog('order') }] : []),
    ...(mayEdit ? [{ label: t('clients.edit'), run: () => setDialog('edit') }] : []),
  ]);
  return (
    <>
      {mayEdit && (
        <Button variant="default" onClick={() => setDialog('edit')}>
          {t('edit')}
        </Button>
      )}
      {mayOrder && <Button onClick={() => setDialog('order')}>{t('spvs.create')}</Button>}
      <ClientMenu client={client} />
      {dialog === 'edit' && <ClientEdit client={client} onClose={close} />}
      {dialog === 'order' && <SpvForm clientId={client.id} onClose={close} onCreated={close} />}
    </>
  );
}

function ClientTabs({ id }: { id: string }) {
  const { t } = useTranslation(['shell', 'employee', 'messages']);
  const of = { client_id: id };
  const threads = useInfiniteQuery(queries.threads(of));
  const notes = useInfiniteQuery(queries.internalNotes(id));
  return (
    <RecordTabs
      label={t('employee:column.client')}
      tabs={[
        {
          key: 'orders',
          label: t('record.orders'),
          count: useRowCount(lists.spvs(of)),
          content: <RecordOrders of={of} pathOf={paths.employeeOrder} />,
        },
        {
          key: 'documents',
          label: t('employee:nav.documents'),
          count: useRowCount(lists.documents(of)),
          content: <RecordDocuments of={of} />,
        },
        {
          key: 'invoices',
          label: t('employee:nav.invoices'),
          count: useRowCount(lists.invoices(of)),
          content: <RecordInvoices of={of} />,
        },
        {
          key: 'messages',
          label: t('messages:title'),
          count: countText(threads.data?.length, threads.hasNextPage),
          content: <RecordThreads clientId={id} />,
        },
        {
          key: 'requests',
          label: t('record.requests'),
          count: useRowCount(lists.requests({ user_id: id })),
          content: <RecordRequests userId={id} />,
        },
        {
          key: 'notes',
          label: t('messages:notes'),
          count: countText(notes.data?.length, notes.hasNextPage),
          content: <InternalNotes clientId={id} />,
        },
        { key: 'activity', label: t('record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
