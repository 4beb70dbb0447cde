import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import type { Thread } from '../../api/types';

/** Marks a visible thread as read while the page is active. */
export function useMarkRead(thread: Thread | undefined): void {
  const here = useDocumentVisibility() === 'visible';
  const { id, unread } = thread ?? { id: '', unread: 0 };
  useEffect(() => {
    if (!here || !id || unread === 0) return;
    void body(api.POST('/rest/v1/threads/{id}/read', { params: { path: { id } }, body: {} }))
      .then(() =>
        Promise.all(
          ['threads', 'notifications'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })),
        ),
      )
      // Stays unread; retried with the next message.
      .catch(() => undefined);
  }, [here, id, unread]);
}
