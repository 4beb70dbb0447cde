import { Anchor } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Request } from '../../../api/types';
import { paths } from '../../../paths';
import { DataTable, type Column, type TableState } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';

/** Requests that the person of a record sent. */
export function RecordRequests({ state }: { state: TableState<Request> }) {
  const { t } = useTranslation(['requests', 'common', 'names', 'shell']);
  const columns: Column<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      cell: (request) => (
        <Anchor component={Link} to={paths.request(request.id)} className="mono">
          {request.reference}
        </Anchor>
      ),
    },
    { key: 'kind', header: t('column.what'), cell: (request) => t(`names:request_kind.${request.kind}`) },
    { key: 'sent', header: t('column.sent'), cell: (request) => <RelativeTime at={request.created_at} /> },
    {
      key: 'status',
      header: t('common:status'),
      cell: (request) => <StatusBadge kind="request" status={request.status} />,
    },
  ];
  return (
    <DataTable
      label={t('shell:record.requests')}
      columns={columns}
      state={state}
      rowKey={(request) => request.id}
      empty={<EmptyState icon={<IconInbox size={20} />} title={t('shell:record.no_requests')} />}
    />
  );
}
