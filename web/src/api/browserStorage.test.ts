import { beforeEach, describe, expect, test, vi } from 'vitest';

/** Fake storage with a capacity in characters. */
function storage(room = Infinity): Storage {
  const kept = new Map<string, string>();
  const place = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
      kept.set(key, value);
    },
    removeItem: (key: string) => kept.delete(key),
  };
  return new Proxy(place as unknown as Storage, {
    ownKeys: () => [...kept.keys()],
    getOwnPropertyDescriptor: (_, key) =>
      kept.has(String(key)) ? { configurable: true, enumerable: true, value: '' } : undefined,
  });
}

function blocked(name: string): void {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => {
      throw new DOMException('The request was denied.', 'SecurityError');
    },
  });
}

beforeEach(() => {
  vi.resetModules();
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: storage() });
  }
});

describe('working storage', () => {
  test('returns stored values', async () => {
    const { browserStore, tabStore, probeStorage } = await import('./browserStorage');
    browserStore.setItem('a', '1');
    tabStore.setItem('b', '2');
    expect([localStorage.getItem('a'), sessionStorage.getItem('b')]).toEqual(['1', '2']);
    expect([browserStore.keys(), tabStore.keys()]).toEqual([['a'], ['b']]);
    browserStore.removeItem('a');
    expect([browserStore.getItem('a'), browserStore.keys(), probeStorage()]).toEqual([null, [], false]);
  });
});

describe('blocked storage', () => {
  test('falls back to memory and reports it', async () => {
    blocked('localStorage');
    blocked('sessionStorage');
    const { browserStore, tabStore, probeStorage, isStorageLimited, onStorageLimited } =
      await import('./browserStorage');
    const heard = vi.fn<() => void>();
    onStorageLimited(heard);
    expect([browserStore.getItem('a'), browserStore.keys(), isStorageLimited()]).toEqual([null, [], false]);
    expect(probeStorage()).toBe(true);
    for (const store of [browserStore, tabStore]) {
      store.setItem('a', '1');
      expect([store.getItem('a'), store.keys().includes('a')]).toEqual(['1', true]);
      store.removeItem('a');
      expect(store.getItem('a')).toBeNull();
    }
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test('falls back to the tab when only one storage is blocked', async () => {
    blocked('localStorage');
    const { browserStore } = await import('./browserStorage');
    browserStore.setItem('session', 'token');
    vi.resetModules();
    const { browserStore: reloaded } = await import('./browserStorage');
    expect([reloaded.getItem('session'), reloaded.keys()]).toEqual(['token', ['session']]);
  });
});

describe('full storage', () => {
  test('returns the newest value', async () => {
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage(3) });
    const { browserStore, isStorageLimited } = await import('./browserStorage');
    browserStore.setItem('session', 'old');
    expect(isStorageLimited()).toBe(false);
    browserStore.setItem('session', 'a longer one');
    expect([browserStore.getItem('session'), isStorageLimited()]).toEqual(['a longer one', true]);
    browserStore.removeItem('session');
    expect([browserStore.getItem('session'), localStorage.getItem('session')]).toEqual([null, null]);
    browserStore.setItem('session', 'new');
    expect([localStorage.getItem('session'), browserStore.keys()]).toEqual(['new', ['session']]);
  });

  test('falls back to memory when nothing can be written', async () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(globalThis, name, { configurable: true, value: storage(-1) });
    }
    const { browserStore, tabStore } = await import('./browserStorage');
    browserStore.setItem('a', '');
    tabStore.setItem('b', '2');
    expect([browserStore.getItem('a'), tabStore.getItem('b'), browserStore.keys()]).toEqual(['', '2', ['a']]);
  });
});
