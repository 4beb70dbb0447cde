import { Button } from '@mantine/core';
import { IconBriefcase } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { lists, type IsoQuery } from '../../../api/lists';
import type { Iso } from '../../../api/types';
import { paths } from '../../../paths';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { useParam } from '../../../shared/queryParams';
import { useMe } from '../../../shared/session/me';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { RemoveMenu } from '../RemoveMenu';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, useListPath } from '../preview';
import { ViewAll } from '../ViewAll';
import { isoName, useIsoColumns } from './isoColumns';
import { IsoEdit } from './IsoEdit';
import { IsoForm } from './IsoForm';

function isoQuery({ filters, ...query }: GridQuery): IsoQuery {
  return { ...query, archived: filters.archived === 'true' || undefined };
}

const exportIsos = (query: IsoQuery) =>
  body(api.GET('/rest/v1/isos.csv', { params: { query }, parseAs: 'blob' }));

/** The list; on the dashboard only its first rows. */
export function IsosTab({ preview = false }: { preview?: boolean }) {
  const { t } = useTranslation(['employee', 'common']);
  const me = useMe();
  const listPath = useListPath('isos');
  const [asked, setAsked] = useParam('new');
  const [edited, setEdited] = useState<Iso | null>(null);
  const columns: GridColumn<Iso>[] = [
    ...useIsoColumns(),
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (iso) => <RemoveMenu kind="iso" row={iso} name={isoName(iso)} onEdit={() => setEdited(iso)} />,
    },
  ];
  return (
    <>
      <ListGrid<Iso>
        list="isos"
        label={t('tab.isos')}
        preview={preview ? PREVIEW_ROWS : undefined}
        columns={columns}
        rows={(query) => lists.isos(isoQuery(query))}
        rowKey={(row) => row.id}
        rowName={isoName}
        hrefOf={(iso) => paths.employeeIso(iso.id)}
        defaultSort={{ key: 'first_name', descending: false }}
        filters={[
          {
            key: 'archived',
            label: t('archived'),
            choices: [{ value: 'true', label: t('archived_yes') }],
          },
        ]}
        views={[{ key: 'archived', name: t('archived'), query: 'archived=true' }]}
        search={t('iso.search')}
        bulk={(rows) => (
          <ExportButton name="isos" load={() => exportIsos({ ids: rows.map(({ id }) => id).join(',') })} />
        )}
        actions={(query) => (
          <>
            <ExportButton name="isos" load={() => exportIsos(isoQuery(query))} />
            {me.can.includes('create_iso') && <Button onClick={() => setAsked('iso')}>{t('iso.add')}</Button>}
          </>
        )}
        empty={<EmptyState icon={<IconBriefcase size={20} />} title={t('iso.empty')} />}
      />
      {preview && <ViewAll to={listPath} list={t('tab.isos')} />}
      {asked === 'iso' && <IsoForm onClose={() => setAsked('')} />}
      {edited && <IsoEdit iso={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
