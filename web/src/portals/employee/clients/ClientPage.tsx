import { Button } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { Client } from '../../../api/types';
import { paths } from '../../../paths';
import { DocumentTable } from '../../../shared/documents/DocumentTable';
import { InvoiceTable } from '../../../shared/invoices/InvoiceTable';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { listed } from '../../../shared/records/listed';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordOrders } from '../../../shared/records/RecordOrders';
import { RecordTabs } from '../../../shared/records/RecordTabs';
import { useMe } from '../../../shared/session/me';
import { Crumb } from '../../../shared/shell/Crumb';
import { usePageActions } from '../../../shared/shell/registry';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { CompanyLink, IsoLink } from '../records/links';
import { RecordPage } from '../records/RecordPage';
import { RecordRequests } from '../records/RecordRequests';
import { RecordThreads } from '../records/RecordThreads';
import { SpvForm } from '../spvs/SpvForm';
import { ClientEdit } from './ClientEdit';
import { ClientMenu } from './ClientMenu';

/** Record of a client: facts, actions and everything that belongs to them. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['employee', 'names', 'shell']);
  return (
    <RecordPage
      query={useQuery(queries.client(id))}
      trail={<Crumb to={paths.employeeClients}>{t('tab.clients')}</Crumb>}
      kind={t('column.client')}
      title={(client) => `${client.first_name} ${client.last_name}`}
      actions={(client) => <Actions client={client} />}
      facts={(client) => [
        [t('column.email'), <EmailWithFailure key="email" email={client.email} failure={client.email_failure} />],
        [t('column.phone'), client.phone],
        [t('column.company'), <CompanyLink key="company" id={client.company_id} name={client.company_name} />],
        [t('column.iso'), <IsoLink key="iso" id={client.iso_id} name={client.iso_name} />],
        [t('names:field.address'), client.address],
        [t('clients.added'), <RelativeTime key="added" at={client.created_at} />],
      ]}
    >
      <ClientTabs id={id} />
    </RecordPage>
  );
}

function Actions({ client }: { client: Client }) {
  const { t } = useTranslation(['employee', 'shell']);
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
      <StatusBadge kind="profile" status={client.status} />
      {mayOrder && <Button onClick={() => setDialog('order')}>{t('spvs.create')}</Button>}
      <ClientMenu client={client} onEdit={() => setDialog('edit')} onOrder={() => setDialog('order')} />
      {dialog === 'edit' && <ClientEdit client={client} onClose={close} />}
      {dialog === 'order' && <SpvForm clientId={client.id} onClose={close} onCreated={close} />}
    </>
  );
}

function ClientTabs({ id }: { id: string }) {
  const { t } = useTranslation(['shell', 'documents', 'employee', 'messages']);
  const of = { client_id: id };
  const orders = listed(useInfiniteQuery(queries.spvs(of)));
  const documents = listed(useInfiniteQuery(queries.documents(of)));
  const invoices = listed(useInfiniteQuery(queries.invoices(of)));
  const threads = listed(useInfiniteQuery(queries.threads(of)));
  const requests = listed(useInfiniteQuery(queries.requests({ user_id: id })));
  return (
    <RecordTabs
      tabs={[
        {
          key: 'orders',
          label: t('record.orders'),
          count: orders.count,
          content: <RecordOrders state={orders.state} pathOf={paths.employeeOrder} />,
        },
        {
          key: 'documents',
          label: t('employee:nav.documents'),
          count: documents.count,
          content: (
            <DocumentTable
              label={t('employee:nav.documents')}
              state={documents.state}
              across
              empty={<EmptyState icon={<IconFiles size={20} />} title={t('documents:empty')} />}
            />
          ),
        },
        {
          key: 'invoices',
          label: t('employee:nav.invoices'),
          count: invoices.count,
          content: <InvoiceTable query={of} pathOf={paths.employeeInvoice} />,
        },
        {
          key: 'messages',
          label: t('messages:title'),
          count: threads.count,
          content: <RecordThreads state={threads.state} />,
        },
        {
          key: 'requests',
          label: t('employee:nav.requests'),
          count: requests.count,
          content: <RecordRequests state={requests.state} />,
        },
        { key: 'activity', label: t('record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
