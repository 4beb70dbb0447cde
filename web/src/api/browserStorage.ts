/**
 * Browser storage with fallbacks, since it may be blocked or full: localStorage falls back to the tab, then to memory
 * until the page is closed. The only file that uses `localStorage` and `sessionStorage`. Imports nothing, because it is
 * in the first chunk.
 */
export interface BrowserStore {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
  keys: () => string[];
}

type Name = 'localStorage' | 'sessionStorage';

/** Prefix of localStorage keys kept in sessionStorage. */
const OVERFLOW_PREFIX = 'spv-overflow:';
const listeners = new Set<() => void>();
let limited = false;

/** The native storage; even the getter throws if storage is blocked. */
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
  /** null: removed here, although the browser still returns it. */
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

/** Whether a value had to be kept in a fallback and is lost when the page is closed. */
export function isStorageLimited(): boolean {
  return limited;
}

/** Writes a test value and returns whether storage is limited. */
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
