import { expect, test, vi } from 'vitest';

const session = vi.hoisted(() => ({ auth: {}, accessToken: async () => undefined, bringsSession: true }));
vi.mock('../../../api/session', () => session);
vi.mock('./signIn', () => ({}));
const { parseCallback } = await import('./provider');

test('callback with a code has a session, with an error none, and is absent otherwise', () => {
  expect(parseCallback('?code=abc', '')).toEqual({ brings: true });
  expect(parseCallback('?error=access_denied&error_code=account_requested', '')).toEqual({
    brings: false,
    refused: 'account_requested',
  });
  expect(parseCallback('', '')).toBeUndefined();
});

test('code of another flow brings no session', () => {
  session.bringsSession = false;
  expect(parseCallback('?code=abc', '')?.brings).toBe(false);
});

test('query wins over fragment, and errors over a code', () => {
  expect(parseCallback('?error_code=user_banned&code=abc', '#error_code=other')).toEqual({
    brings: false,
    refused: 'user_banned',
  });
  expect(parseCallback('', '#error=access_denied&error_code=bad_oauth_state')).toEqual({
    brings: false,
    refused: 'bad_oauth_state',
  });
});
