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
const overflow = 'spv-overflow:';
const listeners = new Set<() => void>();
let limited = false;

/** The browser's own; the getter itself throws where storage is blocked. */
function native(name: Name): Storage | undefined {
  try {
    return globalThis[name] ?? undefined;
  } catch {
    return undefined;
  }
}

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function noteLimited(): void {
  if (limited) return;
  limited = true;
  for (const listener of listeners) listener();
}

function storeOf(name: Name, next?: BrowserStore): BrowserStore {
  /** null: removed, though the browser still has it. */
  const memory = new Map<string, string | null>();
  const stored = (key: string) => attempt(() => native(name)?.getItem(key)) ?? null;
  return {
    getItem: (key) => {
      const kept = memory.get(key);
      return kept === undefined ? (next?.getItem(overflow + key) ?? stored(key)) : kept;
    },
    setItem: (key, value) => {
      memory.delete(key);
      const done = attempt(() => {
        native(name)?.setItem(key, value);
        return stored(key) === value;
      });
      if (done) {
        next?.removeItem(overflow + key);
        return;
      }
      noteLimited();
      if (next) next.setItem(overflow + key, value);
      else memory.set(key, value);
    },
    removeItem: (key) => {
      memory.delete(key);
      next?.removeItem(overflow + key);
      attempt(() => native(name)?.removeItem(key));
      if (stored(key) !== null) memory.set(key, null);
    },
    keys: () => {
      const own = attempt(() => Object.keys(native(name) ?? {})) ?? [];
      const held = [...memory].flatMap(([key, value]) => (value === null ? [] : [key]));
      const elsewhere = (next?.keys() ?? []).flatMap((key) =>
        key.startsWith(overflow) ? [key.slice(overflow.length)] : [],
      );
      const removed = own.filter((key) => memory.get(key) !== null);
      return [...new Set([...removed, ...held, ...elsewhere])];
    },
  };
}

export const tabStore = storeOf('sessionStorage');
export const browserStore = storeOf('localStorage', tabStore);

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
