import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ReactNode } from 'react';
import type { Document } from '../../api/types';
import { DataTable, type Column, type TableState } from '../../ui/DataTable';
import { RelativeTime } from '../../ui/DateText';
import { Tag } from '../../ui/Tag';
import { usePortalLinks } from './links';
import { hasScanResult, ScanTag } from './ScanTag';
import { VersionButtons } from './VersionButtons';
import { fileFacts } from './labels';

interface Props {
  label: string;
  state: TableState<Document>;
  empty: ReactNode;
  /** Library mode: shows client and order. */
  across?: boolean;
}

export function DocumentTable({ label, state, empty, across = false }: Props) {
  const { t } = useTranslation('documents');
  const places = usePortalLinks();
  const columns: Column<Document>[] = [
    {
      key: 'name',
      header: t('column.name'),
      wide: true,
      cell: (document) => (
        <>
          <Anchor component={Link} to={places.document(document.id)} fz="inherit" fw={500}>
            {document.name}
          </Anchor>
          {(document.internal || hasScanResult(document.latest.scan)) && (
            <div>
              {document.internal && <Tag tone="rest">{t('internal')}</Tag>}{' '}
              <ScanTag scan={document.latest.scan} />
            </div>
          )}
        </>
      ),
    },
  ];
  if (across && !places.isClient) {
    columns.push({ key: 'client', header: t('column.client'), cell: (document) => document.client.name });
  }
  if (across) {
    columns.push({
      key: 'order',
      header: t('column.order'),
      cell: (document) =>
        document.spv_id && (
          <Anchor component={Link} to={places.order(document.spv_id)} className="mono">
            {document.spv_identifier}
          </Anchor>
        ),
    });
  }
  columns.push(
    { key: 'kind', header: t('column.kind'), cell: (document) => fileFacts(t, document.latest) },
    {
      key: 'version',
      width: 80,
      header: t('column.version'),
      cell: (document) => <span className="num">{document.versions_count}</span>,
    },
    {
      key: 'updated',
      header: t('column.updated'),
      cell: (document) => <RelativeTime at={document.updated_at} />,
    },
    {
      key: 'actions',
      header: t('column.actions'),
      actions: true,
      cell: (document) => <VersionButtons version={document.latest} />,
    },
  );
  return (
    <DataTable
      label={label}
      columns={columns}
      state={state}
      rowKey={(document) => document.id}
      empty={empty}
    />
  );
}
