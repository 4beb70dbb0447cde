/** Refresh tokens: rotation, reuse interval and reuse detection. */
import { describe, expect, test } from 'vitest';
import { jwtClaims, unwrap, errorWith, startServer, errorOf } from './support/server';

const portal = startServer();

const refresh = (refresh_token: unknown, headers?: Record<string, string>) =>
  portal.ask('/token?grant_type=refresh_token', { body: { refresh_token }, headers });

describe('token refresh', () => {
  test('continues the session with a new token', async () => {
    const { client, session } = await portal.signedInUser();
    const { session: next } = unwrap(await client.refreshSession());
    expect(next?.refresh_token).not.toBe(session.refresh_token);
    const [before, after] = [jwtClaims(session.access_token), jwtClaims(next?.access_token ?? '')];
    expect(after).toMatchObject({ session_id: before.session_id, sub: before.sub, aal: 'aal1' });
    expect(after.amr).toEqual(before.amr);
    expect(client.events).toContain('TOKEN_REFRESHED');
    // The older access token stays valid until it expires.
    expect((await portal.ask('/user', { token: session.access_token })).status).toBe(200);
  });

  test('with the parent token returns the active token', async () => {
    const { session } = await portal.signedInUser();
    const one = await refresh(session.refresh_token);
    const two = await refresh(session.refresh_token);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(two.body.refresh_token).toBe(one.body.refresh_token);
    const next = await refresh(one.body.refresh_token);
    expect(next.status).toBe(200);
    expect(next.body.refresh_token).not.toBe(one.body.refresh_token);
  });

  test('with an older token within the reuse interval returns the active token', async () => {
    const { session } = await portal.signedInUser();
    let active = session.refresh_token;
    for (let times = 0; times < 4; times += 1) active = String((await refresh(active)).body.refresh_token);
    const late = await refresh(session.refresh_token);
    expect(late.status).toBe(200);
    expect(late.body.refresh_token).toBe(active);
    expect((await refresh(active)).status).toBe(200);
  });

  test('with an older token after the reuse interval ends the session for all holders', async () => {
    const { client, session } = await portal.signedInUser();
    for (let times = 0; times < 3; times += 1) unwrap(await client.refreshSession());
    await portal.portal.ageRefreshesByMinute();
    const thief = portal.client();
    const { refresh_token } = session;
    expect(errorOf(await thief.refreshSession({ refresh_token }))).toEqual(
      errorWith(400, 'refresh_token_already_used'),
    );
    expect(await client.isSessionEnded()).toBe(true);
  });

  test('by two clients concurrently keeps both signed in', async () => {
    const { client, session } = await portal.signedInUser();
    const other = portal.client();
    const { access_token, refresh_token } = session;
    unwrap(await other.setSession({ access_token, refresh_token }));
    for (let times = 0; times < 3; times += 1) {
      const both = await Promise.all([client.refreshSession(), other.refreshSession()]);
      for (const one of both) unwrap(one);
    }
    for (const one of [client, other]) {
      unwrap(await one.getUser());
      expect(one.events).not.toContain('SIGNED_OUT');
    }
    expect((await client.requireSession()).refresh_token).toBe((await other.requireSession()).refresh_token);
  });

  test('a hundred times concurrently keeps the session', async () => {
    const { client, session } = await portal.signedInUser();
    const from = { 'x-forwarded-for': '198.19.7.7' };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => refresh(session.refresh_token, from)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const tokens = new Set(answers.map(({ body }) => body.refresh_token));
    expect(tokens.size).toBe(1);
    expect(tokens).not.toContain(session.refresh_token);
    for (const { body } of answers.slice(0, 5)) {
      expect((await portal.ask('/user', { token: String(body.access_token) })).status).toBe(200);
    }
    unwrap(await client.refreshSession());
    unwrap(await client.getUser());
  });
});

describe('session at its maximum age', () => {
  test('ends at the next refresh', async () => {
    await portal.portal.operator('security', 'set', '--session-max-hours', '24');
    const { client } = await portal.signedInUser();
    unwrap(await client.refreshSession());
    await portal.portal.ageSessionsBy25Hours();
    expect(errorOf(await client.refreshSession())).toEqual(errorWith(400, 'session_expired'));
    expect(await client.isSessionEnded()).toBe(true);
    await portal.portal.operator('security', 'set', '--session-max-hours', '0');
  });
});

describe('invalid refresh token', () => {
  test('is distinguished from an expired one', async () => {
    for (const text of ['', 'nonsense', 'x'.repeat(2000), null]) {
      const response = await refresh(text);
      expect(response, String(text)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', message: 'Refresh token is not valid' },
      });
    }
    const { session } = await portal.signedInUser();
    // A tampered token: one letter in the middle is changed.
    const token = session.refresh_token;
    const middle = Math.floor(token.length / 2);
    const forged = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
    const response = await refresh(forged);
    expect(response.status).toBe(400);
    expect(['validation_failed', 'refresh_token_not_found']).toContain(response.body.code);
    expect((await refresh(token)).status).toBe(200);
  });

  test('of an ended session is rejected', async () => {
    const { client, session } = await portal.signedInUser();
    await client.signOutOrThrow();
    const response = await refresh(session.refresh_token);
    expect(response).toMatchObject({ status: 400, body: { code: 'session_not_found' } });
    expect(response.body.message).toMatch(/^Invalid Refresh Token/);
    const again = portal.client();
    expect(errorOf(await again.refreshSession({ refresh_token: session.refresh_token }))).toMatchObject({
      status: 400,
    });
  });

  test('of a deleted account is rejected', async () => {
    const { who, client } = await portal.signedInUser();
    unwrap(await portal.program.admin.deleteUser(who.id));
    const result = await client.refreshSession();
    expect(result.error?.status).toBe(400);
    expect((await portal.client().signInWithPassword({ email: who.email, password: 'x' })).error?.code).toBe(
      errorWith(400, 'invalid_credentials').code,
    );
  });
});
