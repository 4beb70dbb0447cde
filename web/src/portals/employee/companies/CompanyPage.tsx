import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { lists } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { Company } from '../../../api/types';
import { paths } from '../../../paths';
import { sumsByCurrency } from '../../../shared/grid/sums';
import { EmailLink } from '../../../shared/records/links';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordInvoices } from '../../../shared/records/RecordInvoices';
import { RecordOrders, useOpenOrderCount } from '../../../shared/records/RecordOrders';
import { RecordTabs, useRowCount } from '../../../shared/records/RecordTabs';
import { useMe } from '../../../shared/session/me';
import { usePageActions } from '../../../shared/shell/registry';
import { RelativeTime } from '../../../ui/DateText';
import { Tag } from '../../../ui/Tag';
import { RecordClients } from '../records/RecordClients';
import { RecordIsos } from '../records/RecordIsos';
import { RecordPage } from '../../../shared/records/RecordPage';
import { RemoveMenu } from '../RemoveMenu';
import { CompanyForm } from './CompanyForm';

/** Record of a company: facts, orders, invoices, clients and partners. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['employee', 'names', 'shell']);
  const openOrders = useOpenOrderCount({ company_id: id });
  const invoiceTotal = useInfiniteQuery(lists.invoices({ company_id: id })).data?.total;
  return (
    <RecordPage
      query={useQuery(queries.company(id))}
      list={{ to: paths.employeeCompanies, name: t('tab.companies') }}
      kind={t('column.company')}
      title={(company) => company.name}
      status={(company) => company.archived_at && <Tag tone="rest">{t('shell:record.archived')}</Tag>}
      actions={(company) => <Actions company={company} />}
      facts={(company) => [
        [t('shell:record.open_orders'), openOrders],
        [
          t('shell:record.due'),
          // Not where more than 10,000 invoices are not summed.
          invoiceTotal?.exact && (
            <span key="due" className="num">
              {sumsByCurrency(invoiceTotal.sums).join(' + ') || '—'}
            </span>
          ),
        ],
        [t('column.business_name'), company.business_name],
        [t('column.email'), company.email && <EmailLink key="email" email={company.email} />],
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
  const mayEdit = company.can.includes('update');
  usePageActions(mayEdit ? [{ label: t('company.edit_title'), run: () => setEditing(true) }] : []);
  return (
    <>
      {me.role === 'super_admin' && (
        <Button variant="default" component={Link} to={paths.companyPortalOf(company.id)}>
          {t('common:portal.company')}
        </Button>
      )}
      {mayEdit && (
        <Button variant="default" onClick={() => setEditing(true)}>
          {t('edit')}
        </Button>
      )}
      <RemoveMenu kind="company" row={company} name={company.name} onRecord />
      {editing && <CompanyForm company={company} onClose={() => setEditing(false)} />}
    </>
  );
}

function CompanyTabs({ id }: { id: string }) {
  const { t } = useTranslation(['shell', 'employee']);
  const of = { company_id: id };
  return (
    <RecordTabs
      label={t('employee:column.company')}
      tabs={[
        {
          key: 'orders',
          label: t('record.orders'),
          count: useRowCount(lists.spvs(of)),
          content: <RecordOrders of={of} pathOf={paths.employeeOrder} withClient />,
        },
        {
          key: 'invoices',
          label: t('employee:nav.invoices'),
          count: useRowCount(lists.invoices(of)),
          content: <RecordInvoices of={of} />,
        },
        {
          key: 'clients',
          label: t('employee:tab.clients'),
          count: useRowCount(lists.clients(of)),
          content: <RecordClients of={of} />,
        },
        {
          key: 'isos',
          label: t('nav.isos'),
          count: useRowCount(lists.isos(of)),
          content: <RecordIsos of={of} />,
        },
        { key: 'activity', label: t('record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
