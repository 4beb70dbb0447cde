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
import { Toolbar } from '../Toolbar';
import { CompanyForm } from './CompanyForm';

type Dialog = { company: Company | null } | null;

export function CompaniesTab() {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [archived, setArchived] = useFlag('archived');
  const [dialog, setDialog] = useState<Dialog>(null);
  const query = { q: q || undefined, archived: archived || undefined };
  const state = tableState(useInfiniteQuery(queries.companies(query)));
  const columns: Column<Company>[] = [
    { key: 'name', header: t('column.name'), cell: (company) => company.name },
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
        <RemoveMenu kind="company" row={company} name={company.name} onEdit={() => setDialog({ company })} />
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
          <Button onClick={() => setDialog({ company: null })}>{t('company.add')}</Button>
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
      {dialog && <CompanyForm company={dialog.company} onClose={() => setDialog(null)} />}
    </>
  );
}
