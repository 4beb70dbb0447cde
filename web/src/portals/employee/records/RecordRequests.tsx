import { Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../../api/lists';
import type { Request } from '../../../api/types';
import { paths } from '../../../paths';
import { RecordGrid } from '../../../shared/records/RecordGrid';
import { UserLink } from '../../../shared/records/links';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';
import { RequestSummary } from '../requests/RequestSummary';

/** Requests that the person of a record sent. */
export function RecordRequests({ userId }: { userId: string }) {
  const { t } = useTranslation(['requests', 'common', 'names', 'shell']);
  const columns: GridColumn<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      phone: 'title',
      link: (request) => t(`names:request_kind.${request.kind}`),
      cell: (request) => (
        <Text size="xs" c="dimmed" className="mono">
          {request.reference}
        </Text>
      ),
    },
    {
      key: 'what',
      header: t('column.what'),
      phone: 'text',
      cell: (request) => <RequestSummary request={request} />,
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'side',
      cell: (request) => <StatusBadge kind="request" status={request.status} />,
    },
    {
      key: 'assignee',
      header: t('assignee'),
      cell: ({ assignee }) => <UserLink id={assignee?.id ?? null} name={assignee?.name ?? null} />,
    },
    {
      key: 'sent',
      header: t('column.sent'),
      sort: 'created_at',
      descendingFirst: true,
      phone: 'end',
      cell: (request) => <RelativeTime at={request.created_at} />,
    },
  ];
  return (
    <RecordGrid<Request>
      label={t('shell:record.requests')}
      columns={columns}
      rows={(order) => lists.requests({ user_id: userId, order })}
      rowKey={(request) => request.id}
      hrefOf={(request) => paths.request(request.id)}
      defaultSort={{ key: 'created_at', descending: true }}
      empty={<EmptyState icon={<IconInbox size={20} />} title={t('shell:record.no_requests')} />}
    />
  );
}
