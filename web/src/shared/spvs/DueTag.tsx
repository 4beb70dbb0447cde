import { useTranslation } from 'react-i18next';
import { relativeDays, todayInOfficeZone } from '../../messages/format';
import { Tag } from '../../ui/Tag';
import { formatDueDate } from './dueDates';

interface Props {
  day: string | null | undefined;
  /** The server's verdict, where it gives one: a request is due at an hour, and an order on hold has no deadlines. */
  overdue?: boolean;
}

/** Amber within three days, red when it is past, and in words; nothing for what is far away. By the office's day. */
export function DueTag({ day, overdue }: Props) {
  const { t } = useTranslation('orders');
  if (!day) return null;
  const { nearness, days } = formatDueDate(day, todayInOfficeZone());
  if (overdue ?? nearness === 'late') {
    return <Tag tone="stop">{days < 0 ? t('overdue', { count: -days }) : t('overdue_now')}</Tag>;
  }
  return nearness === 'soon' && <Tag tone="wait">{t('due_soon', { when: relativeDays(days) })}</Tag>;
}
