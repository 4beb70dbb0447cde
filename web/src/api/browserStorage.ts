/**
 * Browser storage with a fallback: a browser may block it, or it may be full. What the browser does not store is kept by
 * the tab where that is possible, else in memory until the page is closed, so that nobody is locked out by it. The only
 * file that uses `localStorage` and `sessionStorage`. Imports nothing: it is part of the first chunk.
 */
export interface BrowserStore {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
  keys: () => string[];
}

type Name = 'localStorage' | 'sessionStorage';

/** Keys of local storage that the tab stores in its place. */
const OVERFLOW_PREFIX = 'spv-overflow:';
const listeners = new Set<() => void>();
let limited = false;

/** The browser's own; the getter itself throws where storage is blocked. */
function nativeStorage(name: Name): Storage | undefined {
  try {
    return globalThis[name] ?? undefined;
  } catch {
    return undefined;
  }
}

function tryOrUndefined<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function reportLimited(): void {
  if (limited) return;
  limited = true;
  for (const listener of listeners) listener();
}

function createStore(name: Name, next?: BrowserStore): BrowserStore {
  /** null: removed, though the browser still has it. */
  const memory = new Map<string, string | null>();
  const stored = (key: string) => tryOrUndefined(() => nativeStorage(name)?.getItem(key)) ?? null;
  return {
    getItem: (key) => {
      const kept = memory.get(key);
      return kept === undefined ? (next?.getItem(OVERFLOW_PREFIX + key) ?? stored(key)) : kept;
    },
    setItem: (key, value) => {
      memory.delete(key);
      const done = tryOrUndefined(() => {
        nativeStorage(name)?.setItem(key, value);
        return stored(key) === value;
      });
      if (done) {
        next?.removeItem(OVERFLOW_PREFIX + key);
        return;
      }
      reportLimited();
      if (next) next.setItem(OVERFLOW_PREFIX + key, value);
      else memory.set(key, value);
    },
    removeItem: (key) => {
      memory.delete(key);
      next?.removeItem(OVERFLOW_PREFIX + key);
      tryOrUndefined(() => nativeStorage(name)?.removeItem(key));
      if (stored(key) !== null) memory.set(key, null);
    },
    keys: () => {
      const own = tryOrUndefined(() => Object.keys(nativeStorage(name) ?? {})) ?? [];
      const held = [...memory].flatMap(([key, value]) => (value === null ? [] : [key]));
      const elsewhere = (next?.keys() ?? []).flatMap((key) =>
        key.startsWith(OVERFLOW_PREFIX) ? [key.slice(OVERFLOW_PREFIX.length)] : [],
      );
      const removed = own.filter((key) => memory.get(key) !== null);
      return [...new Set([...removed, ...held, ...elsewhere])];
    },
  };
}

export const tabStore = createStore('sessionStorage');
export const browserStore = createStore('localStorage', tabStore);

/** Whether something could not be stored where it belongs: it is lost when the page is closed. */
export function isStorageLimited(): boolean {
  return limited;
}

/** Asks the browser once, for a page that depends on it. */
export function probeStorage(): boolean {
  const key = 'spv-probe';
  browserStore.setItem(key, '1');
  browserStore.removeItem(key);
  return limited;
}

export function onStorageLimited(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
