import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { NavCount } from '../shell/navigation';

/** Unread messages, for the sidebar. */
export function useUnreadCount(): NavCount {
  const { t } = useTranslation('messages');
  const { data } = useQuery(queries.unreadMessages());
  const value = data?.messages ?? 0;
  return { value, label: t('unread', { count: value }) };
}
