import { expect, test, vi } from 'vitest';

const session = vi.hoisted(() => ({ auth: {}, accessToken: async () => undefined, bringsSession: true }));
vi.mock('../../../api/session', () => session);
vi.mock('./signIn', () => ({}));
const { parseCallback } = await import('./provider');

test('a code brings a session, an error none, and an ordinary address says nothing', () => {
  expect(parseCallback('?code=abc', '')).toEqual({ brings: true });
  expect(parseCallback('?error=access_denied&error_code=account_requested', '')).toEqual({
    brings: false,
    refused: 'account_requested',
  });
  expect(parseCallback('', '')).toBeUndefined();
});

test('a code for what somebody else began brings nothing', () => {
  session.bringsSession = false;
  expect(parseCallback('?code=abc', '')?.brings).toBe(false);
});

test('the query wins over the fragment, and both over a code', () => {
  expect(parseCallback('?error_code=user_banned&code=abc', '#error_code=other')).toEqual({
    brings: false,
    refused: 'user_banned',
  });
  expect(parseCallback('', '#error=access_denied&error_code=bad_oauth_state')).toEqual({
    brings: false,
    refused: 'bad_oauth_state',
  });
});
