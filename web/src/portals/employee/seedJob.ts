import { useSyncExternalStore } from 'react';
import { tabStore } from '../../api/browserStorage';

/** The seed job whose outcome a person waits for. The tab keeps it, so that it outlives the page and a reload. */
const STORAGE_KEY = (user: string) => `spv-seed-${user}`;
/** No outcome comes where the database was restored meanwhile, or the worker killed: then nobody waits for ever. */
const MAX_WAIT_MS = 600_000;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function seedJob(user: string): string | null {
  // The job, and when it was queued. What an earlier version kept says no time, and is not waited for.
  const [job, since] = (tabStore.getItem(STORAGE_KEY(user)) ?? '').split(' ');
  return job && Date.now() - Number(since ?? 0) < MAX_WAIT_MS ? job : null;
}

/** Null when its outcome has been told, or is not waited for any more. */
export function setSeedJob(user: string, job: string | null): void {
  if (job === null) tabStore.removeItem(STORAGE_KEY(user));
  else tabStore.setItem(STORAGE_KEY(user), `${job} ${Date.now()}`);
  for (const listener of listeners) listener();
}

export function useSeedJob(user: string): string | null {
  return useSyncExternalStore(subscribe, () => seedJob(user));
}
