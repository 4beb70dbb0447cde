import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  beganFlow,
  cameBack,
  rememberSession,
  rememberSessionAfterwards,
  sessionKey,
  sessionOwner,
  sessionPlace,
} from './sessionStorage';

/** What `Object.keys` finds in a browser's storage. */
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

describe('a session', () => {
  test('is kept by the browser, or by the tab alone', () => {
    rememberSession(true);
    sessionPlace.setItem(sessionKey, 'remembered');
    rememberSession(false);
    expect(sessionPlace.getItem(sessionKey)).toBeNull();
    sessionPlace.setItem(sessionKey, 'for now');
    expect([browser[sessionKey], tab[sessionKey]]).toEqual(['remembered', 'for now']);
    sessionPlace.removeItem(sessionKey);
    expect(browser[sessionKey]).toBe('remembered');
  });

  test('is kept without the tokens of whoever vouched for it', () => {
    const session = { access_token: 'ours', refresh_token: 'ours', user: { id: 'amara' } };
    const granted = { ...session, provider_token: 'theirs', provider_refresh_token: 'theirs' };
    sessionPlace.setItem(sessionKey, JSON.stringify(granted));
    expect(JSON.parse(sessionPlace.getItem(sessionKey) ?? '')).toEqual(session);
  });

  test('is where it was after an attempt that failed', () => {
    sessionPlace.setItem(sessionKey, 'remembered');
    const undo = rememberSession(false);
    undo();
    expect(sessionPlace.getItem(sessionKey)).toBe('remembered');
  });

  test('is where it was after a way elsewhere that brought none, however often it was tried', () => {
    for (const remembered of [true, false]) {
      rememberSession(remembered);
      sessionPlace.setItem(sessionKey, `remembered: ${remembered}`);
      rememberSessionAfterwards(!remembered);
      rememberSessionAfterwards(!remembered);
      expect(sessionPlace.getItem(sessionKey)).not.toBe(`remembered: ${remembered}`);
      cameBack(false);
      expect(sessionPlace.getItem(sessionKey)).toBe(`remembered: ${remembered}`);
      sessionPlace.removeItem(sessionKey);
    }
  });

  test('stays where a way elsewhere has brought it, or a password since', () => {
    for (const enters of [() => cameBack(true), () => void rememberSession(false)]) {
      rememberSession(true);
      rememberSessionAfterwards(false);
      enters();
      sessionPlace.setItem(sessionKey, 'new');
      cameBack(false);
      expect(tab[sessionKey]).toBe('new');
    }
  });

  test('has an owner, unless it is no session', () => {
    expect(sessionOwner()).toBeUndefined();
    sessionPlace.setItem(sessionKey, JSON.stringify({ user: { id: 'amara' } }));
    expect(sessionOwner()).toBe('amara');
    for (const junk of ['null', '{}', '"x"', '{not json']) {
      sessionPlace.setItem(sessionKey, junk);
      expect(sessionOwner()).toBeUndefined();
    }
  });
});

test('the other half of a flow is found by every tab', () => {
  rememberSession(false);
  expect(beganFlow()).toBe(false);
  sessionPlace.setItem(`${sessionKey}-flow-1234-code-verifier`, 'secret');
  expect(Object.keys(browser)).toEqual([`${sessionKey}-flow-1234-code-verifier`]);
  expect(beganFlow()).toBe(true);
});
