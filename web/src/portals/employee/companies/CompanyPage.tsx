import { Anchor, Button } from '@mantine/core';
import { IconBriefcase } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { Company, Iso } from '../../../api/types';
import { paths } from '../../../paths';
import { listed } from '../../../shared/records/listed';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordOrders } from '../../../shared/records/RecordOrders';
import { RecordTabs } from '../../../shared/records/RecordTabs';
import { useMe } from '../../../shared/session/me';
import { Crumb } from '../../../shared/shell/Crumb';
import { DataTable, type Column } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { Tag } from '../../../ui/Tag';
import { RecordClients } from '../records/RecordClients';
import { RecordPage } from '../records/RecordPage';
import { IsoLink } from '../records/links';
import { RemoveMenu } from '../RemoveMenu';
import { CompanyForm } from './CompanyForm';

/** Record of a company: facts, orders, clients and partners. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['employee', 'names', 'shell']);
  return (
    <RecordPage
      query={useQuery(queries.company(id))}
      trail={<Crumb to={paths.employeeCompanies}>{t('tab.companies')}</Crumb>}
      kind={t('column.company')}
      title={(company) => company.name}
      actions={(company) => <Actions company={company} />}
      facts={(company) => [
        [t('column.business_name'), company.business_name],
        [
          t('column.email'),
          company.email && (
            <Anchor href={`mailto:${company.email}`} fz="inherit">
              {company.email}
            </Anchor>
          ),
        ],
        [t('column.phone'), company.phone],
        [t('names:field.domain'), company.domain],
        [t('names:field.currency'), company.currency],
        [t('clients.added'), <RelativeTime key="added" at={company.created_at} />],
      ]}
    >
      <CompanyTabs id={id} />
    </RecordPage>
  );
}

function Actions({ company }: { company: Company }) {
  const { t } = useTranslation(['employee', 'shell', 'common']);
  const me = useMe();
  const [editing, setEditing] = useState(false);
  return (
    <>
      {company.archived_at && <Tag tone="rest">{t('shell:record.archived')}</Tag>}
      {me.role === 'super_admin' && (
        <Button variant="default" component={Link} to={paths.companyPortalOf(company.id)}>
          {t('common:portal.company')}
        </Button>
      )}
      <RemoveMenu kind="company" row={company} name={company.name} onEdit={() => setEditing(true)} />
      {editing && <CompanyForm company={company} onClose={() => setEditing(false)} />}
    </>
  );
}

function CompanyTabs({ id }: { id: string }) {
  const { t } = useTranslation(['shell', 'employee']);
  const of = { company_id: id };
  const orders = listed(useInfiniteQuery(queries.spvs(of)));
  const clients = listed(useInfiniteQuery(queries.clients(of)));
  const isos = listed(useInfiniteQuery(queries.isos(of)));
  const columns: Column<Iso>[] = [
    {
      key: 'name',
      header: t('employee:column.name'),
      cell: (iso) => <IsoLink id={iso.id} name={`${iso.first_name} ${iso.last_name}`} />,
    },
    { key: 'email', header: t('employee:column.email'), wide: true, whole: true, cell: (iso) => iso.email },
    { key: 'phone', header: t('employee:column.phone'), whole: true, cell: (iso) => iso.phone ?? '—' },
  ];
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
          key: 'isos',
          label: t('nav.isos'),
          count: isos.count,
          content: (
            <DataTable
              label={t('nav.isos')}
              columns={columns}
              state={isos.state}
              rowKey={(iso) => iso.id}
              empty={<EmptyState icon={<IconBriefcase size={20} />} title={t('employee:iso.empty')} />}
            />
          ),
        },
        { key: 'activity', label: t('record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
