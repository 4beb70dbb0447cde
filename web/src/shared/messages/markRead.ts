import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect } from 'react';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import type { Thread } from '../../api/types';

/** A thread that is on the screen of somebody who is there is read. */
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
      // It stays unread, and is tried again with the next message.
      .catch(() => undefined);
  }, [here, id, unread]);
}
