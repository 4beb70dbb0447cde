import { useTranslation } from 'react-i18next';
import { relativeDays, todayInOfficeZone } from '../../messages/format';
import { Tag } from '../../ui/Tag';
import { formatDueDate } from './dueDates';

interface Props {
  day: string | null | undefined;
  /** Server-side due state, where given: requests are due at an hour, and orders on hold have no deadlines. */
  overdue?: boolean;
}

/** Due tag: amber within three days, red when past, with text; nothing further out. By the office day. */
export function DueTag({ day, overdue }: Props) {
  const { t } = useTranslation('orders');
  if (!day) return null;
  const { nearness, days } = formatDueDate(day, todayInOfficeZone());
  if (overdue ?? nearness === 'late') {
    return <Tag tone="stop">{days < 0 ? t('overdue', { count: -days }) : t('overdue_now')}</Tag>;
  }
  return nearness === 'soon' && <Tag tone="wait">{t('due_soon', { when: relativeDays(days) })}</Tag>;
}
