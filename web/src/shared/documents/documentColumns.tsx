import { useTranslation } from 'react-i18next';
import type { Document } from '../../api/types';
import { RelativeTime } from '../../ui/DateText';
import { StatusBadge } from '../../ui/StatusBadge';
import { Tag } from '../../ui/Tag';
import type { GridColumn } from '../../ui/grid/columns';
import { ClientLink, RecordLink } from '../records/links';
import { fileFacts } from './labels';
import { usePortalLinks } from './links';
import { hasScanResult, ScanTag } from './ScanTag';
import { VersionButtons } from './VersionButtons';
import { orderNameOf } from '../spvs/orderName';

/** Columns of documents; `across` orders also their client and order. */
export function useDocumentColumns(across: boolean): GridColumn<Document>[] {
  const { t } = useTranslation(['documents', 'common']);
  const places = usePortalLinks();
  const columns: GridColumn<Document>[] = [
    {
      key: 'name',
      header: t('column.name'),
      sort: 'name',
      phone: 'title',
      link: (document) => document.name,
      cell: (document) =>
        (document.internal || hasScanResult(document.latest.scan)) && (
          <div>
            {document.internal && <Tag tone="rest">{t('internal')}</Tag>}{' '}
            <ScanTag scan={document.latest.scan} />
          </div>
        ),
    },
  ];
  if (across && !places.isClient) {
    columns.push({
      key: 'client',
      header: t('column.client'),
      phone: 'text',
      cell: (document) => <ClientLink id={document.client.id} name={document.client.name} />,
    });
  }
  if (across) {
    columns.push({
      key: 'order',
      header: t('column.order'),
      phone: places.isClient ? 'text' : undefined,
      cell: (document) =>
        document.spv_id && (
          <span className={document.vehicle_name ? undefined : 'mono'}>
            <RecordLink to={places.order(document.spv_id)} name={orderNameOf(document)} />
          </span>
        ),
    });
  }
  columns.push(
    {
      key: 'kind',
      header: t('column.kind'),
      phone: across ? undefined : 'text',
      cell: (document) => fileFacts(t, document.latest),
    },
    {
      key: 'version',
      width: 80,
      header: t('column.version'),
      cell: (document) => <span className="num">{document.versions_count}</span>,
    },
    {
      key: 'status',
      header: t('common:status'),
      explain: t('column.status_text'),
      phone: 'side',
      cell: ({ request_status: status }) => status && <StatusBadge kind="document_request" status={status} />,
    },
    {
      key: 'updated',
      header: t('column.updated'),
      sort: 'updated_at',
      descendingFirst: true,
      phone: 'end',
      cell: (document) => <RelativeTime at={document.updated_at} />,
    },
    {
      key: 'actions',
      header: t('column.actions'),
      actions: true,
      cell: (document) => !document.deleted_at && <VersionButtons version={document.latest} />,
    },
  );
  return columns;
}
