import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  hasPendingFlow,
  restorePersistenceAfterRedirect,
  setSessionPersistence,
  setSessionPersistenceForRedirect,
  SESSION_KEY,
  sessionOwner,
  sessionStorageAdapter,
} from './sessionStorage';

/** Fake storage whose keys `Object.keys` finds. */
function storage(): Record<string, unknown> {
  const place: Record<string, unknown> = {};
  const hidden = (name: string, value: unknown) => Object.defineProperty(place, name, { value });
  hidden('getItem', (key: string) => place[key] ?? null);
  hidden('setItem', (key: string, value: string) => (place[key] = value));
  hidden('removeItem', (key: string) => delete place[key]);
  return place;
}
let browser: Record<string, unknown>;
let tab: Record<string, unknown>;

beforeEach(() => {
  browser = storage();
  tab = storage();
  vi.stubGlobal('localStorage', browser);
  vi.stubGlobal('sessionStorage', tab);
});

describe('session storage', () => {
  test('keeps the session in the browser or in the tab only', () => {
    setSessionPersistence(true);
    sessionStorageAdapter.setItem(SESSION_KEY, 'remembered');
    setSessionPersistence(false);
    expect(sessionStorageAdapter.getItem(SESSION_KEY)).toBeNull();
    sessionStorageAdapter.setItem(SESSION_KEY, 'for now');
    expect([browser[SESSION_KEY], tab[SESSION_KEY]]).toEqual(['remembered', 'for now']);
    sessionStorageAdapter.removeItem(SESSION_KEY);
    expect(browser[SESSION_KEY]).toBe('remembered');
  });

  test('drops provider tokens', () => {
    const session = { access_token: 'ours', refresh_token: 'ours', user: { id: 'amara' } };
    const granted = { ...session, provider_token: 'theirs', provider_refresh_token: 'theirs' };
    sessionStorageAdapter.setItem(SESSION_KEY, JSON.stringify(granted));
    expect(JSON.parse(sessionStorageAdapter.getItem(SESSION_KEY) ?? '')).toEqual(session);
  });

  test('is restored after a failed sign-in', () => {
    sessionStorageAdapter.setItem(SESSION_KEY, 'remembered');
    const undo = setSessionPersistence(false);
    undo();
    expect(sessionStorageAdapter.getItem(SESSION_KEY)).toBe('remembered');
  });

  test('is restored after redirects that brought no session', () => {
    for (const remembered of [true, false]) {
      setSessionPersistence(remembered);
      sessionStorageAdapter.setItem(SESSION_KEY, `remembered: ${remembered}`);
      setSessionPersistenceForRedirect(!remembered);
      setSessionPersistenceForRedirect(!remembered);
      expect(sessionStorageAdapter.getItem(SESSION_KEY)).not.toBe(`remembered: ${remembered}`);
      restorePersistenceAfterRedirect(false);
      expect(sessionStorageAdapter.getItem(SESSION_KEY)).toBe(`remembered: ${remembered}`);
      sessionStorageAdapter.removeItem(SESSION_KEY);
    }
  });

  test('stays where a redirect or a later sign-in put it', () => {
    for (const enters of [
      () => restorePersistenceAfterRedirect(true),
      () => void setSessionPersistence(false),
    ]) {
      setSessionPersistence(true);
      setSessionPersistenceForRedirect(false);
      enters();
      sessionStorageAdapter.setItem(SESSION_KEY, 'new');
      restorePersistenceAfterRedirect(false);
      expect(tab[SESSION_KEY]).toBe('new');
    }
  });

  test('has an owner only with a valid session', () => {
    expect(sessionOwner()).toBeUndefined();
    sessionStorageAdapter.setItem(SESSION_KEY, JSON.stringify({ user: { id: 'amara' } }));
    expect(sessionOwner()).toBe('amara');
    for (const junk of ['null', '{}', '"x"', '{not json']) {
      sessionStorageAdapter.setItem(SESSION_KEY, junk);
      expect(sessionOwner()).toBeUndefined();
    }
  });
});

test('code verifier is visible to every tab', () => {
  setSessionPersistence(false);
  expect(hasPendingFlow()).toBe(false);
  sessionStorageAdapter.setItem(`${SESSION_KEY}-flow-1234-code-verifier`, 'secret');
  expect(Object.keys(browser)).toEqual([`${SESSION_KEY}-flow-1234-code-verifier`]);
  expect(hasPendingFlow()).toBe(true);
});
