import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Request } from '../../../api/types';
import { RelativeTime } from '../../../ui/DateText';
import { Tag } from '../../../ui/Tag';

/** Due date of an open request; nothing once decided. */
export function RequestDueDate({ request }: { request: Request }) {
  const { t } = useTranslation('requests');
  const { due_at: due, status, overdue } = request;
  if (!due || (status !== 'pending' && status !== 'in_review')) return <Text size="xs">—</Text>;
  if (overdue) return <Tag tone="stop">{t('overdue')}</Tag>;
  return (
    <Text size="xs" c="dimmed" component="span">
      <RelativeTime at={due} />
    </Text>
  );
}
