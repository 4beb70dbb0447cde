import { useSyncExternalStore } from 'react';

/** The seed job whose outcome a person waits for. The tab keeps it, so that it outlives the page and a reload. */
const place = (user: string) => `spv-seed-${user}`;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const seedJob = (user: string): string | null => sessionStorage.getItem(place(user));

/** Null when its outcome has been told. */
export function setSeedJob(user: string, job: string | null): void {
  if (job === null) sessionStorage.removeItem(place(user));
  else sessionStorage.setItem(place(user), job);
  for (const listener of listeners) listener();
}

export function useSeedJob(user: string): string | null {
  return useSyncExternalStore(subscribe, () => seedJob(user));
}
