import { useSyncExternalStore } from 'react';
import { tabStore } from '../../api/browserStorage';

/** Pending seed job of this tab, stored to survive navigation and reload. */
const STORAGE_KEY = (user: string) => `spv-seed-${user}`;
/** Timeout: after a restore or killed worker no outcome arrives. */
const MAX_WAIT_MS = 600_000;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function seedJob(user: string): string | null {
  // Job id and queue time. Values of older versions have no time and are ignored.
  const [job, since] = (tabStore.getItem(STORAGE_KEY(user)) ?? '').split(' ');
  return job && Date.now() - Number(since ?? 0) < MAX_WAIT_MS ? job : null;
}

/** Null once the outcome was shown or timed out. */
export function setSeedJob(user: string, job: string | null): void {
  if (job === null) tabStore.removeItem(STORAGE_KEY(user));
  else tabStore.setItem(STORAGE_KEY(user), `${job} ${Date.now()}`);
  for (const listener of listeners) listener();
}

export function useSeedJob(user: string): string | null {
  return useSyncExternalStore(subscribe, () => seedJob(user));
}
