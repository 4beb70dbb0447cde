/** Password grant and password changes. */
import { describe, expect, test } from 'vitest';
import {
  jwtClaims,
  unwrap,
  amrMethods,
  errorWith,
  startServer,
  password,
  errorOf,
  uuid,
} from './support/server';

const portal = startServer();
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

describe('password grant', () => {
  test('returns a session with every field the client needs', async () => {
    const { who, session, client } = await portal.signedInUser();
    expect(session).toMatchObject({ token_type: 'bearer', expires_in: 900 });
    expect(Math.abs((session.expires_at ?? 0) - Date.now() / 1000 - 900)).toBeLessThan(30);
    expect(session.refresh_token.length).toBeGreaterThan(10);
    expect(client.events).toContain('SIGNED_IN');
    const { user } = session;
    expect(user).toMatchObject({
      id: who.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: who.email,
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
    });
    for (const at of [
      'created_at',
      'updated_at',
      'email_confirmed_at',
      'confirmed_at',
      'last_sign_in_at',
    ] as const) {
      expect(user[at], at).toMatch(time);
    }
    expect(user.identities).toEqual([
      expect.objectContaining({
        id: who.id,
        user_id: who.id,
        provider: 'email',
        identity_id: expect.stringMatching(uuid),
        identity_data: expect.objectContaining({ sub: who.id, email: who.email, email_verified: true }),
      }),
    ]);
    // auth-js expects unset fields to be omitted.
    expect(Object.values(user)).not.toContain(null);
  });

  test('puts the metadata into the access token, and nothing more', async () => {
    const { who, session } = await portal.signedInUser();
    const said = jwtClaims(session.access_token);
    expect(said).toMatchObject({
      iss: expect.stringContaining(portal.portal.url),
      sub: who.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: who.email,
      phone: '',
      aal: 'aal1',
      is_anonymous: false,
      session_id: expect.stringMatching(uuid),
      app_metadata: expect.objectContaining({ provider: 'email', role: 'client' }),
      user_metadata: expect.any(Object),
    });
    expect(Number(said.exp) - Number(said.iat)).toBe(900);
    expect(said.amr).toEqual([{ method: 'password', timestamp: expect.any(Number) }]);
    expect(amrMethods(session.access_token)).toEqual(['password']);
  });

  test('ignores letter case and surrounding spaces of the email', async () => {
    const { email } = await portal.createUser();
    const session = await portal.client().signIn(` ${email.toUpperCase()} `);
    expect(session.user.email).toBe(email);
  });

  test('authenticates the user here and at the portal API', async () => {
    const { client, session, who } = await portal.signedInUser();
    expect(unwrap(await client.getUser()).user.id).toBe(who.id);
    const me = await portal.ask(`${portal.portal.url}/rest/v1/me`, { token: session.access_token });
    expect(me.status).toBe(200);
  });
});

describe('rejected password grant', () => {
  test('is the same for a wrong password, an unknown email and an account without a password', async () => {
    const { email } = await portal.createUser();
    const invited = portal.address();
    unwrap(await portal.program.admin.createUser({ email: invited, email_confirm: true }));
    const said = [];
    for (const [who, with_] of [
      [email, 'not this one'],
      [email, ''],
      [portal.address(), password],
      [invited, password],
    ] as const) {
      const result = await portal.client().signInWithPassword({ email: who, password: with_ });
      expect(errorOf(result), who).toEqual(errorWith(400, 'invalid_credentials'));
      expect(result.data).toEqual({ user: null, session: null });
      said.push(result.error?.message);
    }
    expect(new Set(said)).toEqual(new Set(['Invalid login credentials']));
  });

  test('takes the same time, so timing reveals nothing', { timeout: 60_000 }, async () => {
    const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    const took = async (email: string) => {
      const begun = performance.now();
      await portal.client().signInWithPassword({ email, password: 'not this one' });
      return performance.now() - begun;
    };
    const ratios: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      // A new account each time, because failures add a delay that returns early. Run side by side so that load affects
      // both alike, and compare medians to ignore outliers.
      const { email } = await portal.createUser();
      const pair = n % 2 ? [email, portal.address()] : [portal.address(), email];
      const [first = 0, second = 0] = [await took(pair[0] ?? ''), await took(pair[1] ?? '')];
      ratios.push(n % 2 ? second / first : first / second);
    }
    const ratio = median(ratios);
    expect(ratio, `unknown to known: ${ratios.join(', ')}`).toBeGreaterThan(0.5);
    expect(ratio, `unknown to known: ${ratios.join(', ')}`).toBeLessThan(2);
  });

  test('needs exactly one email', async () => {
    const path = '/token?grant_type=password';
    for (const body of [
      { password },
      { email: '', password },
      { email: 'a@example.com', phone: '1234', password },
    ]) {
      const response = await portal.ask(path, { body });
      expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });

  test('names a suspended account only with the right password', async () => {
    const { id, email } = await portal.createUser();
    unwrap(await portal.program.admin.updateUserById(id, { ban_duration: '24h' }));
    const wrong = await portal.client().signInWithPassword({ email, password: 'not this one' });
    expect(errorOf(wrong)).toEqual(errorWith(400, 'invalid_credentials'));
    const right = await portal.client().signInWithPassword({ email, password });
    expect(errorOf(right)).toEqual(errorWith(400, 'user_banned'));
    unwrap(await portal.program.admin.updateUserById(id, { ban_duration: 'none' }));
    await portal.client().signIn(email);
  });

  test('names an unconfirmed email only with the right password', async () => {
    const { email } = await portal.createUser({ email_confirm: false });
    const wrong = await portal.client().signInWithPassword({ email, password: 'not this one' });
    expect(errorOf(wrong)).toEqual(errorWith(400, 'invalid_credentials'));
    const right = await portal.client().signInWithPassword({ email, password });
    expect(errorOf(right)).toEqual(errorWith(400, 'email_not_confirmed'));
  });
});

describe('suspended account', () => {
  test('loses all tokens immediately', async () => {
    const { who, client, session } = await portal.signedInUser();
    unwrap(await portal.program.admin.updateUserById(who.id, { ban_duration: '1h' }));
    expect(await client.isSessionEnded()).toBe(true);
    const { refresh_token } = session;
    expect((await client.refreshSession({ refresh_token })).error?.status).toBe(400);
  });
});

describe('password update', () => {
  const chosen = 'sparrow-copper-window-88';

  test('needs the current password, follows the rules and ends other sessions', async () => {
    const { who, client } = await portal.signedInUser();
    const other = portal.client();
    await other.signIn(who.email);
    expect(errorOf(await client.updateUser({ password: chosen }))).toEqual(
      errorWith(400, 'current_password_required'),
    );
    const change = (new_: string, current_password = password) =>
      client.updateUser({ password: new_, current_password });
    expect(errorOf(await change(chosen, 'not this one'))).toEqual(errorWith(400, 'current_password_invalid'));
    expect(errorOf(await change(password))).toEqual(errorWith(422, 'same_password'));
    const short = await change('short');
    expect(errorOf(short)).toEqual(errorWith(422, 'weak_password'));
    expect(short.error).toMatchObject({
      name: 'AuthWeakPasswordError',
      reasons: expect.arrayContaining(['length']),
    });
    expect(short.error?.message).toMatch(/^Password should be at least \d+ characters/);
    const common = await change('password123');
    expect(common.error).toMatchObject({ code: 'weak_password', reasons: ['pwned'] });
    expect((await change('x1'.repeat(65))).error?.status).toBeGreaterThanOrEqual(400);

    unwrap(await change(chosen));
    expect(client.events).toContain('USER_UPDATED');
    unwrap(await client.getUser());
    expect(await other.isSessionEnded()).toBe(true);
    expect((await portal.client().signInWithPassword({ email: who.email, password })).error).toBeTruthy();
    await portal.client().signIn(who.email, chosen);
  });
});

describe('user metadata', () => {
  test('is merged by key, null deletes, and roles cannot be set', async () => {
    const { client, session } = await portal.signedInUser();
    unwrap(await client.updateUser({ data: { colour: 'blue', sizes: { shoe: 43 } } }));
    const { user } = unwrap(await client.updateUser({ data: { colour: null, town: 'Oslo' } }));
    expect(user.user_metadata).toMatchObject({ town: 'Oslo', sizes: { shoe: 43 } });
    expect(user.user_metadata).not.toHaveProperty('colour');
    const body = { app_metadata: { role: 'super_admin' } };
    const response = await portal.ask('/user', { method: 'PUT', token: session.access_token, body });
    expect(response).toMatchObject({ status: 403, body: { code: 'not_admin' } });
  });
});
