import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Thread } from '../../../api/types';
import { paths } from '../../../paths';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { rowsState } from '../../../shared/grid/listState';
import { CountBadge } from '../../../ui/CountBadge';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { orderNameOf } from '../../../shared/spvs/orderName';

/** Conversations with a client. */
export function RecordThreads({ clientId }: { clientId: string }) {
  const { t } = useTranslation(['messages', 'shell']);
  const state = rowsState(useInfiniteQuery(queries.threads({ client_id: clientId })));
  const nameOf = (thread: Thread) => orderNameOf(thread) ?? t('support');
  const columns: GridColumn<Thread>[] = [
    {
      key: 'about',
      header: t('shell:record.conversation'),
      phone: 'title',
      link: nameOf,
      cell: (thread) => <CountBadge of={thread.unread} label={t('unread', { count: thread.unread })} />,
    },
    {
      key: 'last',
      header: t('shell:record.last_message'),
      phone: 'text',
      cell: ({ last_message: last }) => last.excerpt,
    },
    { key: 'from', header: t('shell:record.from'), cell: (thread) => thread.last_message.author.name },
    {
      key: 'at',
      header: t('shell:record.sent'),
      phone: 'side',
      cell: (thread) => <RelativeTime at={thread.last_message.at} />,
    },
  ];
  return (
    <RowGrid<Thread>
      main
      label={t('title')}
      columns={columns}
      state={state}
      rowKey={(thread) => thread.id}
      hrefOf={(thread) => paths.employeeThread(thread.id)}
      empty={<EmptyState icon={<IconMessages size={20} />} title={t('shell:record.no_messages')} />}
    />
  );
}
