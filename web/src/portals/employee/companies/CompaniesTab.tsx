import { Button } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Company } from '../../../api/types';
import { tableState } from '../../../shared/tableState';
import { useFlag, useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { DataTable, type Column } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { RemoveMenu } from '../RemoveMenu';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, previewState, useListPath } from '../preview';
import { Toolbar } from '../Toolbar';
import { ViewAll } from '../ViewAll';
import { CompanyLink } from '../records/links';
import { CompanyForm } from './CompanyForm';

/** The list; on the dashboard only its first rows. */
export function CompaniesTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [archived, setArchived] = useFlag('archived');
  const [edited, setEdited] = useState<Company | null>(null);
  const query = { q: q || undefined, archived: archived || undefined };
  const all = tableState(
    useInfiniteQuery(queries.companies(preview ? { ...query, limit: PREVIEW_ROWS } : query)),
  );
  const state = preview ? previewState(all) : all;
  const listPath = useListPath('companies');
  const [asked, setAsked] = useParam('new');
  const columns: Column<Company>[] = [
    {
      key: 'name',
      header: t('column.name'),
      cell: (company) => <CompanyLink id={company.id} name={company.name} />,
    },
    { key: 'business', header: t('column.business_name'), cell: (company) => company.business_name },
    {
      key: 'email',
      header: t('column.email'),
      wide: true,
      whole: true,
      cell: (company) => company.email ?? '—',
    },
    { key: 'phone', header: t('column.phone'), whole: true, cell: (company) => company.phone ?? '—' },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (company) => (
        <RemoveMenu kind="company" row={company} name={company.name} onEdit={() => setEdited(company)} />
      ),
    },
  ];
  const empty = archived ? t('company.none_archived') : t('company.empty');
  return (
    <>
      <Toolbar
        searchLabel={t('company.search')}
        q={q}
        onSearch={setQ}
        archived={{ shown: archived, onChange: setArchived }}
      >
        <ExportButton
          name="companies"
          load={() =>
            body(
              api.GET('/rest/v1/companies.csv', {
                params: { query },
                parseAs: 'blob',
              }),
            )
          }
        />
        {me.can.includes('create_company') && (
          <Button onClick={() => setAsked('company')}>{t('company.add')}</Button>
        )}
      </Toolbar>
      <DataTable
        label={t('tab.companies')}
        columns={columns}
        state={state}
        rowKey={(company) => company.id}
        empty={
          <EmptyState icon={<IconBuilding size={20} />} title={q ? t('common:no_match', { q }) : empty} />
        }
      />
      {preview && <ViewAll to={listPath} list={t('tab.companies')} />}
      {asked === 'company' && <CompanyForm company={null} onClose={() => setAsked('')} />}
      {edited && <CompanyForm company={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
