/** Sessions: sign-out scopes and the session list. */
import { describe, expect, test } from 'vitest';
import { jwtClaims, unwrap, startServer, uuid, type Session } from './support/server';

const portal = startServer();

const status = async (session: Session) =>
  (await portal.ask('/user', { token: session.access_token })).status;
/** The portal API also rejects ended sessions. */
const restStatus = async (session: Session) =>
  (await portal.ask(`${portal.portal.url}/rest/v1/me`, { token: session.access_token })).status;

async function two() {
  const { who, client, session } = await portal.signedInUser();
  const other = portal.client();
  return { who, client, session, other, elsewhere: await other.signIn(who.email) };
}

describe('sign-out', () => {
  test('local keeps the other session', async () => {
    const { client, session, other, elsewhere } = await two();
    await client.signOutOrThrow('local');
    expect(client.events).toContain('SIGNED_OUT');
    expect(await client.session()).toBeNull();
    expect([await status(session), await restStatus(session)]).toEqual([403, 401]);
    expect([await status(elsewhere), await restStatus(elsewhere)]).toEqual([200, 200]);
    unwrap(await other.refreshSession());
  });

  test('global ends both immediately', async () => {
    const { client, session, other, elsewhere } = await two();
    await client.signOutOrThrow();
    for (const ended of [session, elsewhere]) {
      expect([await status(ended), await restStatus(ended)]).toEqual([403, 401]);
    }
    expect((await other.refreshSession()).error?.name).toBe('AuthSessionMissingError');
  });

  test('others keeps only this session', async () => {
    const { client, session, other, elsewhere } = await two();
    await client.signOutOrThrow('others');
    expect(client.events).not.toContain('SIGNED_OUT');
    expect(await status(session)).toBe(200);
    expect([await status(elsewhere), await restStatus(elsewhere)]).toEqual([403, 401]);
    unwrap(await client.refreshSession());
    // The client drops its session.
    const asked = await other.getUser();
    expect(asked.error?.name).toBe('AuthSessionMissingError');
    expect(other.events).toContain('SIGNED_OUT');
  });

  test('returns no content and is idempotent', async () => {
    const { session } = await portal.signedInUser();
    const out = () => portal.ask('/logout?scope=local', { method: 'POST', token: session.access_token });
    const first = await out();
    expect([first.status, first.text]).toEqual([204, '']);
    expect(await out()).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
    expect(await portal.ask('/logout', { method: 'POST' })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    });
  });

  test('rejects unknown scopes', async () => {
    const { session } = await portal.signedInUser();
    const response = await portal.ask('/logout?scope=all', { method: 'POST', token: session.access_token });
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await status(session)).toBe(200);
  });
});

interface Row {
  id: string;
  created_at: string;
  last_used_at: string;
  begun_by: string | null;
  user_agent: string | null;
  device: string | null;
  address: string | null;
  aal: string;
  current: boolean;
}

describe('session list', () => {
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36';
  const list = async (session: Session) => {
    const response = await portal.ask('/sessions', { token: session.access_token });
    expect(response.status).toBe(200);
    return response.body as unknown as Row[];
  };

  test('has address, user agent and times, newest first, with the current one marked', async () => {
    const who = await portal.createUser();
    const old = await portal.client({ headers: { 'x-forwarded-for': '198.19.1.1' } }).signIn(who.email);
    const browser = portal.client({ headers: { 'x-forwarded-for': '198.19.1.2', 'user-agent': agent } });
    const session = await browser.signIn(who.email);
    const rows = await list(session);
    expect(rows.map(({ id }) => id)).toEqual(
      [session, old].map((one) => jwtClaims(one.access_token).session_id),
    );
    expect(rows.map(({ current }) => current)).toEqual([true, false]);
    expect(rows[0]).toEqual({
      id: expect.stringMatching(uuid),
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      begun_by: null,
      user_agent: agent,
      device: 'Chrome on Linux',
      address: '198.19.1.2',
      aal: 'aal1',
      current: true,
    });
    expect(rows[1]?.address).toBe('198.19.1.1');
    expect((await list(old)).map(({ current }) => current)).toEqual([false, true]);
  });

  test('revokes own sessions and no others', async () => {
    const { session, other, elsewhere } = await two();
    const stranger = await portal.signedInUser();
    const end = (id: unknown, token = session.access_token) =>
      portal.ask(`/sessions/${String(id)}`, { method: 'DELETE', token });
    const id = jwtClaims(elsewhere.access_token).session_id;
    for (const wrong of ['nonsense', '6a7b1f7e-9f8f-4a59-8f7b-0123456789ab']) {
      expect((await end(wrong)).status).toBe(404);
    }
    expect((await end(id, stranger.session.access_token)).status).toBe(404);
    expect(await status(elsewhere)).toBe(200);

    expect(await end(id)).toMatchObject({ status: 204, text: '' });
    expect([await status(elsewhere), await restStatus(elsewhere)]).toEqual([403, 401]);
    expect((await other.refreshSession()).error?.name).toBe('AuthSessionMissingError');
    expect((await list(session)).map(({ current }) => current)).toEqual([true]);
    expect((await end(id)).status).toBe(404);
    expect(await status(stranger.session)).toBe(200);
  });

  test('can revoke the current session', async () => {
    const { session } = await portal.signedInUser();
    const id = String(jwtClaims(session.access_token).session_id);
    const response = await portal.ask(`/sessions/${id}`, { method: 'DELETE', token: session.access_token });
    expect(response.status).toBe(204);
    expect(await status(session)).toBe(403);
  });

  test('requires a session', async () => {
    expect(await portal.ask('/sessions')).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
  });
});
