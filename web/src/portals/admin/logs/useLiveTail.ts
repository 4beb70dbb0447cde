import { useEffect } from 'react';
import { queryClient } from '../../../api/cache';
import { onActivity } from '../../../api/events';

/** Polls for new entries while enabled. */
export function useLiveTail(live: boolean) {
  useEffect(() => {
    if (!live) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onActivity(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queryClient.invalidateQueries({ queryKey: ['logs'] });
      }, 500);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [live]);
}
