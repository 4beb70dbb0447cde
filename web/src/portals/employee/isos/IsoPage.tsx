import { Anchor } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import { paths } from '../../../paths';
import { CommissionTable } from '../../../shared/commissions/CommissionTable';
import { listed } from '../../../shared/records/listed';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordOrders } from '../../../shared/records/RecordOrders';
import { RecordTabs } from '../../../shared/records/RecordTabs';
import { Crumb } from '../../../shared/shell/Crumb';
import { RelativeTime } from '../../../ui/DateText';
import { Tag } from '../../../ui/Tag';
import { RecordClients } from '../records/RecordClients';
import { RecordPage } from '../records/RecordPage';
import { RecordRequests } from '../records/RecordRequests';
import { CompanyLink } from '../records/links';
import { RemoveMenu } from '../RemoveMenu';

/** Record of an ISO partner: facts, orders, clients and commissions. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['employee', 'shell']);
  const query = useQuery(queries.iso(id));
  return (
    <RecordPage
      query={query}
      trail={<Crumb to={paths.employeeIsos}>{t('shell:nav.isos')}</Crumb>}
      kind={t('shell:record.iso')}
      title={(iso) => `${iso.first_name} ${iso.last_name}`}
      actions={(iso) => (
        <>
          {iso.archived_at && <Tag tone="rest">{t('shell:record.archived')}</Tag>}
          <RemoveMenu kind="iso" row={iso} name={`${iso.first_name} ${iso.last_name}`} />
        </>
      )}
      facts={(iso) => [
        [
          t('column.email'),
          <Anchor key="email" href={`mailto:${iso.email}`} fz="inherit">
            {iso.email}
          </Anchor>,
        ],
        [t('column.phone'), iso.phone],
        [t('column.company'), <CompanyLink key="company" id={iso.company_id} name={iso.company_name} />],
        [t('clients.added'), <RelativeTime key="added" at={iso.created_at} />],
      ]}
    >
      <IsoTabs id={id} userId={query.data?.user_id} />
    </RecordPage>
  );
}

function IsoTabs({ id, userId }: { id: string; userId: string | undefined }) {
  const { t } = useTranslation(['shell', 'employee', 'partners']);
  const of = { iso_id: id };
  const orders = listed(useInfiniteQuery(queries.spvs(of)));
  const clients = listed(useInfiniteQuery(queries.clients(of)));
  const commissions = listed(useInfiniteQuery(queries.commissions(of)));
  const requests = listed(
    useInfiniteQuery({ ...queries.requests({ user_id: userId }), enabled: userId !== undefined }),
  );
  return (
    <RecordTabs
      tabs={[
        {
          key: 'orders',
          label: t('record.orders'),
          count: orders.count,
          content: <RecordOrders state={orders.state} pathOf={paths.employeeOrder} withClient />,
        },
        {
          key: 'clients',
          label: t('employee:tab.clients'),
          count: clients.count,
          content: <RecordClients state={clients.state} />,
        },
        {
          key: 'commissions',
          label: t('partners:nav.commissions'),
          count: commissions.count,
          content: <CommissionTable state={commissions.state} />,
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
