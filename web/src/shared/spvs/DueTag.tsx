import { useTranslation } from 'react-i18next';
import { relativeDays, today } from '../../messages/format';
import { Tag } from '../../ui/Tag';
import { dueOn } from './due';

/** Amber within three days, red when it is past, and in words; nothing for what is far away. */
export function DueTag({ day }: { day: string | null | undefined }) {
  const { t } = useTranslation('orders');
  if (!day) return null;
  const { nearness, days } = dueOn(day, today());
  if (nearness === 'far') return null;
  return nearness === 'late' ? (
    <Tag tone="stop">{t('overdue', { count: -days })}</Tag>
  ) : (
    <Tag tone="wait">{t('due_soon', { when: relativeDays(days) })}</Tag>
  );
}
