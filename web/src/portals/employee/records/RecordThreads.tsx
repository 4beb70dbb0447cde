import { Anchor, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Thread } from '../../../api/types';
import { paths } from '../../../paths';
import { CountBadge } from '../../../ui/CountBadge';
import { DataTable, type Column, type TableState } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';

/** Conversations with the client of a record. */
export function RecordThreads({ state }: { state: TableState<Thread> }) {
  const { t } = useTranslation(['messages', 'shell']);
  const columns: Column<Thread>[] = [
    {
      key: 'about',
      header: t('shell:record.conversation'),
      cell: (thread) => (
        <>
          <Anchor component={Link} to={paths.employeeThread(thread.id)} fz="inherit" fw={500}>
            {thread.spv_identifier ?? t('support')}
          </Anchor>{' '}
          <CountBadge of={thread.unread} label={t('unread', { count: thread.unread })} />
        </>
      ),
    },
    {
      key: 'last',
      header: t('shell:record.last_message'),
      wide: true,
      cell: ({ last_message: last }) => (
        <>
          {last.excerpt}
          <Text size="xs" c="dimmed">
            {last.author.name}
          </Text>
        </>
      ),
    },
    {
      key: 'at',
      header: t('shell:record.sent'),
      cell: (thread) => <RelativeTime at={thread.last_message.at} />,
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      state={state}
      rowKey={(thread) => thread.id}
      empty={<EmptyState icon={<IconMessages size={20} />} title={t('shell:record.no_messages')} />}
    />
  );
}
