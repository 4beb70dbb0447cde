import { Button } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { lists, type CompanyQuery } from '../../../api/lists';
import type { Company } from '../../../api/types';
import { paths } from '../../../paths';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { localDay } from '../../../messages/format';
import { DateText } from '../../../ui/DateText';
import { OrderLines } from '../../../shared/records/OrderLines';
import { DetailList } from '../../../ui/DetailList';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { RemoveMenu } from '../RemoveMenu';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, useListPath } from '../preview';
import { ViewAll } from '../ViewAll';
import { CompanyForm } from './CompanyForm';

function companyQuery({ filters, ...query }: GridQuery): CompanyQuery {
  return { ...query, archived: filters.archived === 'true' || undefined };
}

const exportCompanies = (query: CompanyQuery) =>
  body(api.GET('/rest/v1/companies.csv', { params: { query }, parseAs: 'blob' }));

function CompanyPeek({ company }: { company: Company }) {
  const { t } = useTranslation('employee');
  return (
    <>
      <DetailList
        details={[
          [t('column.business_name'), company.business_name],
          [t('column.email'), company.email],
          [t('column.phone'), company.phone],
          [t('clients.added'), <DateText key="added" day={localDay(company.created_at)} />],
        ]}
      />
      <OrderLines of={{ company_id: company.id }} pathOf={paths.employeeOrder} withClient />
    </>
  );
}

/** The list; on the dashboard only its first rows. */
export function CompaniesTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [edited, setEdited] = useState<Company | null>(null);
  const listPath = useListPath('companies');
  const [asked, setAsked] = useParam('new');
  const columns: GridColumn<Company>[] = [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'name',
      phone: 'title',
      link: (company) => company.name,
      cell: () => null,
    },
    {
      key: 'business',
      phone: 'text',
      header: t('column.business_name'),
      cell: (company) => company.business_name,
    },
    {
      key: 'email',
      whole: true,
      // Few companies have one; the columns are offered under Display.
      hidden: !preview,
      header: t('column.email'),
      cell: (company) => company.email ?? '—',
    },
    {
      key: 'phone',
      whole: true,
      hidden: !preview,
      header: t('column.phone'),
      cell: (company) => company.phone ?? '—',
    },
    {
      key: 'added',
      header: t('clients.added'),
      sort: 'created_at',
      descendingFirst: true,
      hidden: true,
      cell: (company) => <DateText day={localDay(company.created_at)} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (company) => (
        <RemoveMenu kind="company" row={company} name={company.name} onEdit={() => setEdited(company)} />
      ),
    },
  ];
  return (
    <>
      <ListGrid<Company>
        list="companies"
        label={t('tab.companies')}
        preview={preview ? PREVIEW_ROWS : undefined}
        columns={columns}
        rows={(query) => lists.companies(companyQuery(query))}
        rowKey={(row) => row.id}
        rowName={(company) => company.name}
        hrefOf={(company) => paths.employeeCompany(company.id)}
        defaultSort={{ key: 'name', descending: false }}
        filters={[
          {
            key: 'archived',
            label: t('archived'),
            choices: [{ value: 'true', label: t('archived_yes') }],
          },
        ]}
        views={[{ key: 'archived', name: t('archived'), query: 'archived=true' }]}
        search={t('company.search')}
        peek={(company) => <CompanyPeek company={company} />}
        bulk={(rows) => (
          <ExportButton
            name="companies"
            load={() => exportCompanies({ ids: rows.map(({ id }) => id).join(',') })}
          />
        )}
        actions={(query) => (
          <>
            <ExportButton name="companies" load={() => exportCompanies(companyQuery(query))} />
            {me.can.includes('create_company') && (
              <Button onClick={() => setAsked('company')}>{t('company.add')}</Button>
            )}
          </>
        )}
        empty={<EmptyState icon={<IconBuilding size={20} />} title={t('company.empty')} />}
      />
      {preview && <ViewAll to={listPath} list={t('tab.companies')} />}
      {asked === 'company' && <CompanyForm company={null} onClose={() => setAsked('')} />}
      {edited && <CompanyForm company={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
