/** Whether the server can be reached. Whoever fails to says so; then it is looked for until it answers. */
import { useSyncExternalStore } from 'react';
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
  /** Hears when it is lost, and when it is back. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /** Does not wait for the next look. */
  retry: () => retryNow?.(),
};

export function useConnection(): boolean {
  return useSyncExternalStore(connection.subscribe, () => !lost);
}

/** `fetch` for every call to our server; the answer of a proxy in front of it becomes a refusal in our own shape. */
export async function trackedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await normalizeResponse(await fetch(input, init));
  } catch (error) {
    const aborted = error instanceof DOMException && error.name === 'AbortError';
    if (!aborted) void pollUntilReachable();
    throw error;
  }
}

/** One call that failed says little: the server is asked before anyone is told. */
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
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Shorter when the browser finds its network again, or when somebody asks. */
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
