/** Whether the server can be reached. Whoever fails to says so; then it is looked for until it answers. */
import { useSyncExternalStore } from 'react';
import { ownAnswer } from './proxyResponses';

const longestPause = 15_000;
const listeners = new Set<() => void>();
let lost = false;
let looking = false;
let lookNow: (() => void) | undefined;

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
  retry: () => lookNow?.(),
};

export function useConnection(): boolean {
  return useSyncExternalStore(connection.subscribe, () => !lost);
}

/** `fetch` for every call to our server; the answer of a proxy in front of it becomes a refusal in our own shape. */
export async function heardFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await ownAnswer(await fetch(input, init));
  } catch (error) {
    const leftAlone = error instanceof DOMException && error.name === 'AbortError';
    if (!leftAlone) void lose();
    throw error;
  }
}

/** One call that failed says little: the server is asked before anyone is told. */
async function lose(): Promise<void> {
  if (looking) return;
  looking = true;
  for (let tries = 0; !(await answers()); tries += 1) {
    set(true);
    await pause(Math.min(1000 * 2 ** tries, longestPause));
  }
  looking = false;
  if (lost) set(false);
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Shorter when the browser finds its network again, or when somebody asks. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    lookNow = end;
    addEventListener('online', end, { once: true });
    function end() {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    }
  });
}

function set(next: boolean): void {
  lost = next;
  for (const listener of listeners) listener();
}

globalThis.addEventListener?.('offline', () => void lose());
