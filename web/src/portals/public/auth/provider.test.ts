import { expect, test, vi } from 'vitest';

const session = vi.hoisted(() => ({ auth: {}, accessToken: async () => undefined, hasAuthCallback: true }));
vi.mock('../../../api/session', () => session);
vi.mock('./signIn', () => ({}));
const { parseCallback } = await import('./provider');

test('callback with a code has a session, with an error none, and is absent otherwise', () => {
  expect(parseCallback('?code=abc', '')).toEqual({ pending: true });
  expect(parseCallback('?error=access_denied&error_code=account_requested', '')).toEqual({
    pending: false,
    error: 'account_requested',
  });
  expect(parseCallback('', '')).toBeUndefined();
});

test('code of another flow brings no session', () => {
  session.hasAuthCallback = false;
  expect(parseCallback('?code=abc', '')?.pending).toBe(false);
});

test('query wins over fragment, and errors over a code', () => {
  expect(parseCallback('?error_code=user_banned&code=abc', '#error_code=other')).toEqual({
    pending: false,
    error: 'user_banned',
  });
  expect(parseCallback('', '#error=access_denied&error_code=bad_oauth_state')).toEqual({
    pending: false,
    error: 'bad_oauth_state',
  });
});
