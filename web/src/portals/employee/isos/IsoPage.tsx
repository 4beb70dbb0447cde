import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { lists } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { Iso } from '../../../api/types';
import { paths } from '../../../paths';
import { CompanyLink, EmailLink, UserLink } from '../../../shared/records/links';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordCommissions } from '../../../shared/records/RecordCommissions';
import { RecordOrders, useOpenOrderCount } from '../../../shared/records/RecordOrders';
import { countText, RecordTabs, useRowCount } from '../../../shared/records/RecordTabs';
import { useMe } from '../../../shared/session/me';
import { usePageActions } from '../../../shared/shell/registry';
import { RelativeTime } from '../../../ui/DateText';
import { Tag } from '../../../ui/Tag';
import { RecordClients } from '../records/RecordClients';
import { RecordPage } from '../../../shared/records/RecordPage';
import { RecordRequests } from '../records/RecordRequests';
import { RemoveMenu } from '../RemoveMenu';
import { isoName } from './isoColumns';
import { IsoAccount } from './IsoAccount';
import { IsoEdit } from './IsoEdit';

/** Record of an ISO partner: facts, orders, clients and commissions. */
export function Component() {
  const { id = '' } = useParams();
  const me = useMe();
  const { t } = useTranslation(['employee', 'shell']);
  const query = useQuery(queries.iso(id));
  const openOrders = useOpenOrderCount({ iso_id: id });
  return (
    <RecordPage
      query={query}
      list={{ to: paths.employeeIsos, name: t('shell:nav.isos') }}
      kind={t('shell:record.iso')}
      title={isoName}
      status={(iso) => iso.archived_at && <Tag tone="rest">{t('shell:record.archived')}</Tag>}
      actions={(iso) => <Actions iso={iso} />}
      facts={(iso) => [
        [t('shell:record.open_orders'), openOrders],
        [t('column.email'), <EmailLink key="email" email={iso.email} />],
        [t('column.phone'), iso.phone],
        [t('column.company'), <CompanyLink key="company" id={iso.company_id} name={iso.company_name} />],
        [
          t('shell:record.account'),
          me.role === 'super_admin' ? <UserLink key="account" id={iso.user_id} name={isoName(iso)} /> : null,
        ],
        [t('clients.added'), <RelativeTime key="added" at={iso.created_at} />],
      ]}
    >
      <IsoTabs id={id} userId={query.data?.user_id} />
    </RecordPage>
  );
}

function Actions({ iso }: { iso: Iso }) {
  const { t } = useTranslation('employee');
  const [editing, setEditing] = useState(false);
  const mayEdit = iso.can.includes('update');
  usePageActions(mayEdit ? [{ label: t('iso.edit'), run: () => setEditing(true) }] : []);
  return (
    <>
      {mayEdit && (
        <Button variant="default" onClick={() => setEditing(true)}>
          {t('edit')}
        </Button>
      )}
      <RemoveMenu kind="iso" row={iso} name={isoName(iso)} onRecord />
      {editing && <IsoEdit iso={iso} onClose={() => setEditing(false)} />}
    </>
  );
}

function IsoTabs({ id, userId }: { id: string; userId: string | undefined }) {
  const { t } = useTranslation(['shell', 'employee', 'partners']);
  const of = { iso_id: id };
  const requests = useInfiniteQuery({
    ...lists.requests({ user_id: userId }),
    enabled: userId !== undefined,
  }).data?.total;
  return (
    <RecordTabs
      label={t('record.iso')}
      tabs={[
        {
          key: 'orders',
          label: t('record.orders'),
          count: useRowCount(lists.spvs(of)),
          content: <RecordOrders of={of} pathOf={paths.employeeOrder} withClient />,
        },
        {
          key: 'clients',
          label: t('employee:tab.clients'),
          count: useRowCount(lists.clients(of)),
          content: <RecordClients of={of} />,
        },
        {
          key: 'commissions',
          label: t('partners:nav.commissions'),
          count: useRowCount(lists.commissions(of)),
          content: <RecordCommissions of={of} />,
        },
        {
          key: 'requests',
          label: t('record.requests'),
          count: countText(requests?.rows, requests?.exact === false),
          content: userId && <RecordRequests userId={userId} />,
        },
        { key: 'account', label: t('partners:account.tab'), content: <IsoAccount id={id} /> },
        { key: 'activity', label: t('record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
