import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { CountBadge } from '../../ui/CountBadge';

/** Unread message badge of the sidebar. */
export function UnreadMessages() {
  const { t } = useTranslation('messages');
  const { data } = useQuery(queries.unreadMessages());
  return <CountBadge of={data?.messages} label={t('unread', { count: data?.messages ?? 0 })} />;
}
