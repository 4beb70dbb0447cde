import { Button } from '@mantine/core';
import { IconBriefcase } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Iso } from '../../../api/types';
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
import { CompanyLink, IsoLink } from '../records/links';
import { IsoForm } from './IsoForm';

/** The list; on the dashboard only its first rows. */
export function IsosTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const [q, setQ] = useParam('q');
  const [archived, setArchived] = useFlag('archived');
  const query = { q: q || undefined, archived: archived || undefined };
  const all = tableState(useInfiniteQuery(queries.isos(preview ? { ...query, limit: PREVIEW_ROWS } : query)));
  const state = preview ? previewState(all) : all;
  const listPath = useListPath('isos');
  const [asked, setAsked] = useParam('new');
  const columns: Column<Iso>[] = [
    {
      key: 'name',
      header: t('column.name'),
      cell: (iso) => <IsoLink id={iso.id} name={`${iso.first_name} ${iso.last_name}`} />,
    },
    { key: 'email', header: t('column.email'), wide: true, whole: true, cell: (iso) => iso.email },
    { key: 'phone', header: t('column.phone'), whole: true, cell: (iso) => iso.phone ?? '—' },
    {
      key: 'company',
      header: t('column.company'),
      cell: (iso) => <CompanyLink id={iso.company_id} name={iso.company_name} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (iso) => <RemoveMenu kind="iso" row={iso} name={`${iso.first_name} ${iso.last_name}`} />,
    },
  ];
  const empty = archived ? t('iso.none_archived') : t('iso.empty');
  return (
    <>
      <Toolbar
        searchLabel={t('iso.search')}
        q={q}
        onSearch={setQ}
        archived={{ shown: archived, onChange: setArchived }}
      >
        <ExportButton
          name="isos"
          load={() =>
            body(
              api.GET('/rest/v1/isos.csv', {
                params: { query },
                parseAs: 'blob',
              }),
            )
          }
        />
        {me.can.includes('create_iso') && <Button onClick={() => setAsked('iso')}>{t('iso.add')}</Button>}
      </Toolbar>
      <DataTable
        label={t('tab.isos')}
        columns={columns}
        state={state}
        rowKey={(iso) => iso.id}
        empty={
          <EmptyState icon={<IconBriefcase size={20} />} title={q ? t('common:no_match', { q }) : empty} />
        }
      />
      {preview && <ViewAll to={listPath} list={t('tab.isos')} />}
      {asked === 'iso' && <IsoForm onClose={() => setAsked('')} />}
    </>
  );
}
