import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { useSave } from '../useSave';

/** Marks some or all notifications as read. */
export function useMarkSeen() {
  return useSave({
    save: (which: { ids: string[] } | { all: true }) =>
      body(api.POST('/rest/v1/notifications/read', { body: which })),
    onSaved: () => void queryClient.invalidateQueries({ queryKey: ['notifications'] }),
  });
}
