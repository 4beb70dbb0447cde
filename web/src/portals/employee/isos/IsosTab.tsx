import { Button } from '@mantine/core';
import { IconBriefcase } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { lists, type IsoQuery } from '../../../api/lists';
import type { Iso } from '../../../api/types';
import { paths } from '../../../paths';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { useParam } from '../../../shared/queryParams';
import { CompanyLink } from '../../../shared/records/links';
import { useMe } from '../../../shared/session/me';
import { localDay } from '../../../messages/format';
import { DateText } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { RemoveMenu } from '../RemoveMenu';
import { ExportButton } from '../../../shared/ExportButton';
import { PREVIEW_ROWS, useListPath } from '../preview';
import { ViewAll } from '../ViewAll';
import { IsoForm } from './IsoForm';

const nameOf = (iso: Iso) => `${iso.first_name} ${iso.last_name}`;

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
  const columns: GridColumn<Iso>[] = [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'first_name',
      phone: 'title',
      link: nameOf,
      cell: () => null,
    },
    { key: 'email', whole: true, header: t('column.email'), phone: 'text', cell: (iso) => iso.email },
    { key: 'phone', whole: true, header: t('column.phone'), cell: (iso) => iso.phone ?? '—' },
    {
      key: 'company',
      header: t('column.company'),
      phone: 'end',
      cell: (iso) => <CompanyLink id={iso.company_id} name={iso.company_name} />,
    },
    {
      key: 'added',
      header: t('clients.added'),
      sort: 'created_at',
      descendingFirst: true,
      hidden: true,
      cell: (iso) => <DateText day={localDay(iso.created_at)} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (iso) => <RemoveMenu kind="iso" row={iso} name={nameOf(iso)} />,
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
        rowName={nameOf}
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
    </>
  );
}
