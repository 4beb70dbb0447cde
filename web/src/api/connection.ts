/** Connection state: after a failed call the server is polled until it responds. */
import { useSyncExternalStore } from 'react';
import { toPublicPath } from '../basePath';
import { normalizeResponse } from './proxyResponses';

const MAX_RETRY_DELAY_MS = 15_000;
const listeners = new Set<() => void>();
let lost = false;
let polling = false;
let retryNow: (() => void) | undefined;

export const connection = {
  get isLost() {
    return lost;
  },
  /** Called when the connection is lost and when it is back. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /** Polls immediately. */
  retry: () => retryNow?.(),
};

export function useConnection(): boolean {
  return useSyncExternalStore(connection.subscribe, () => !lost);
}

/** `fetch` for every call to the server: tracks the connection and turns proxy responses into API errors. */
export async function trackedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await normalizeResponse(await fetch(input, init));
  } catch (error) {
    const aborted = error instanceof DOMException && error.name === 'AbortError';
    if (!aborted) void pollUntilReachable();
    throw error;
  }
}

/** One failed call is not enough: polls the health endpoint before reporting a lost connection. */
async function pollUntilReachable(): Promise<void> {
  if (polling) return;
  polling = true;
  for (let tries = 0; !(await isHealthy()); tries += 1) {
    setLost(true);
    await wait(Math.min(1000 * 2 ** tries, MAX_RETRY_DELAY_MS));
  }
  polling = false;
  if (lost) setLost(false);
}

async function isHealthy(): Promise<boolean> {
  try {
    return (await fetch(toPublicPath('/healthz'), { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Resolves early on the `online` event or a manual retry. */
function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    retryNow = end;
    addEventListener('online', end, { once: true });
    function end() {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    }
  });
}

function setLost(next: boolean): void {
  lost = next;
  for (const listener of listeners) listener();
}

globalThis.addEventListener?.('offline', () => void pollUntilReachable());
