/** Admin API: service tokens and super admins. */
import { describe, expect, test } from 'vitest';
import {
  jwtClaims,
  EXTERNAL_URL,
  unwrap,
  linkParams,
  errorWith,
  startServer,
  password,
  errorOf,
  currentCode,
  signJwt,
  uuid,
} from './support/server';

const portal = startServer();
const unknown = '6a7b1f7e-9f8f-4a59-8f7b-0123456789ab';

describe('admin access', () => {
  const list = (token?: string) => portal.ask('/admin/users', { token });

  test('accepts a service token without subject and expiry', async () => {
    for (const more of [{}, { exp: 4e9 }, { sub: 'a program' }, { iss: portal.url }]) {
      for (const role of ['service_role', 'supabase_admin']) {
        expect((await list(signJwt({ role, ...more }))).status).toBe(200);
      }
    }
  });

  test('rejects everyone else', async () => {
    const { session } = await portal.signedInUser();
    const cases: [string | undefined, number, string][] = [
      [undefined, 401, 'no_authorization'],
      ['nonsense', 403, 'bad_jwt'],
      [signJwt({ role: 'service_role' }, 'another secret'), 403, 'bad_jwt'],
      [signJwt({ role: 'service_role', exp: 1 }), 403, 'bad_jwt'],
      [signJwt({ role: 'service_role', nbf: 4e9 }), 403, 'bad_jwt'],
      [signJwt({ role: 'service_role', iss: 'somewhere' }), 403, 'bad_jwt'],
      [session.access_token, 403, 'not_admin'],
    ];
    for (const [token, status, code] of cases) {
      expect(await list(token), code).toMatchObject({ status, body: { code } });
    }
    // The role claim of a user token does not count.
    const pretender = signJwt({ ...jwtClaims(session.access_token), role: 'service_role' });
    expect((await list(pretender)).status).toBe(403);
  });

  test('accepts a super admin at aal2', async () => {
    const who = await portal.createUser({ app_metadata: { role: 'super_admin' } });
    const client = portal.client();
    const before = await client.signIn(who.email);
    expect((await list(before.access_token)).status).toBe(403);
    const { id, totp: app } = unwrap(await client.mfa.enroll({ factorType: 'totp' }));
    unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(app.secret) }));
    expect((await list((await client.requireSession()).access_token)).status).toBe(200);
  });
});

describe('admin users', () => {
  test('are created with the given attributes', async () => {
    const email = portal.address();
    const user_metadata = { first_name: 'Nils', favourite: { colour: 'red' } };
    const asked = { email, user_metadata, app_metadata: { note: 'from elsewhere' } };
    const { user } = unwrap(await portal.program.admin.createUser(asked));
    expect(user).toMatchObject({ id: expect.stringMatching(uuid), email, phone: '', role: 'authenticated' });
    expect(user.user_metadata).toEqual(user_metadata);
    expect(user.app_metadata).toMatchObject({
      provider: 'email',
      providers: ['email'],
      note: 'from elsewhere',
    });
    expect(user.email_confirmed_at).toBeUndefined();
    expect(unwrap(await portal.program.admin.getUserById(user.id)).user).toMatchObject({
      id: user.id,
      email,
    });
    expect(await portal.mails(email)).toEqual([]);
  });

  test('are rejected as duplicates, without an email, or with a weak password', async () => {
    const { email } = await portal.createUser();
    const create = async (asked: object) => errorOf(await portal.program.admin.createUser(asked));
    expect(await create({ email: email.toUpperCase() })).toEqual(errorWith(422, 'email_exists'));
    expect(await create({ password })).toEqual(errorWith(400, 'validation_failed'));
    expect(await create({ email: 'nonsense' })).toEqual(errorWith(400, 'validation_failed'));
    expect(await create({ email: portal.address(), password: 'short' })).toEqual(
      errorWith(422, 'weak_password'),
    );
    expect((await create({ email: portal.address(), phone: '+4712345678' })).status).toBe(400);
  });

  test('are updated', async () => {
    const { id, email } = await portal.createUser();
    const client = portal.client();
    await client.signIn(email);
    const change = async (asked: object) => unwrap(await portal.program.admin.updateUserById(id, asked)).user;
    expect((await change({ user_metadata: { town: 'Oslo' } })).user_metadata).toMatchObject({ town: 'Oslo' });
    expect((await change({ app_metadata: { plan: 'gold' } })).app_metadata).toMatchObject({ plan: 'gold' });
    const moved = portal.address('moved');
    expect((await change({ email: moved, email_confirm: true })).email).toBe(moved);
    await change({ password: 'sparrow-copper-window-88' });
    // Sessions opened with the old password end.
    expect(await client.isSessionEnded()).toBe(true);
    await portal.client().signIn(moved, 'sparrow-copper-window-88');
    const other = await portal.createUser();
    const taken = await portal.program.admin.updateUserById(id, { email: other.email });
    expect(errorOf(taken)).toEqual(errorWith(422, 'email_exists'));
    expect((await change({ ban_duration: '1h' })).banned_until).toBeTruthy();
    expect((await change({ ban_duration: 'none' })).banned_until).toBeUndefined();
    expect(errorOf(await portal.program.admin.updateUserById(id, { ban_duration: 'long' }))).toEqual(
      errorWith(400, 'validation_failed'),
    );
  });

  test('are deleted with their sessions and factors', async () => {
    const { who, client } = await portal.signedInUser();
    expect(unwrap(await portal.program.admin.deleteUser(who.id)).user).toMatchObject({ id: who.id });
    expect(await client.isSessionEnded()).toBe(true);
    const gone = await portal.client().signInWithPassword({ email: who.email, password });
    expect(gone.error?.status).toBe(400);
    expect(errorOf(await portal.program.admin.getUserById(who.id))).toEqual(errorWith(404, 'user_not_found'));
    expect(errorOf(await portal.program.admin.deleteUser(who.id))).toEqual(errorWith(404, 'user_not_found'));
  });

  test('that do not exist return 404', async () => {
    const { admin } = portal.program;
    expect(errorOf(await admin.getUserById(unknown))).toEqual(errorWith(404, 'user_not_found'));
    expect(errorOf(await admin.updateUserById(unknown, { user_metadata: {} }))).toEqual(
      errorWith(404, 'user_not_found'),
    );
    expect(errorOf(await admin.deleteUser(unknown))).toEqual(errorWith(404, 'user_not_found'));
    const token = signJwt({ role: 'service_role' });
    expect(await portal.ask('/admin/users/nonsense', { token })).toMatchObject({
      status: 404,
      body: { code: 'validation_failed' },
    });
  });

  test('are paginated as auth-js reads them', async () => {
    for (let times = 0; times < 5; times += 1) await portal.createUser();
    const { admin } = portal.program;
    const first = unwrap(await admin.listUsers({ page: 1, perPage: 2 }));
    expect(first.users).toHaveLength(2);
    expect(first).toMatchObject({ aud: 'authenticated', nextPage: 2, total: expect.any(Number) });
    expect(first.total).toBeGreaterThanOrEqual(5);
    const lastPage = Math.ceil(first.total / 2);
    // auth-js parses one digit of a page number.
    if (lastPage < 10) expect(first.lastPage).toBe(lastPage);
    const second = unwrap(await admin.listUsers({ page: 2, perPage: 2 }));
    const ids = [...first.users, ...second.users].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    const beyond = unwrap(await admin.listUsers({ page: 9, perPage: 1000 }));
    expect(beyond.users).toEqual([]);
    const all = unwrap(await admin.listUsers());
    expect(all.users.length).toBe(Math.min(all.total, 50));
    const token = signJwt({ role: 'service_role' });
    for (const query of ['page=-1', 'per_page=-1', 'page=x', 'per_page=x']) {
      expect(await portal.ask(`/admin/users?${query}`, { token }), query).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
    expect((await portal.ask('/admin/users?page=&per_page=', { token })).status).toBe(200);
  });
});

describe('generate link', () => {
  const make = async (asked: object) => portal.program.admin.generateLink(asked as never);

  test('for an existing account', async () => {
    const { email, id } = await portal.createUser();
    for (const type of ['recovery', 'magiclink'] as const) {
      const { properties, user } = unwrap(await make({ type, email, options: { redirectTo: EXTERNAL_URL } }));
      expect(user).toMatchObject({ id, email });
      expect(properties).toMatchObject({
        verification_type: type,
        redirect_to: EXTERNAL_URL,
        email_otp: expect.stringMatching(/^\d{6}$/),
        hashed_token: expect.any(String),
      });
      const link = new URL(properties.action_link);
      expect(link.href.startsWith(`${portal.url}/verify?token=`)).toBe(true);
      const { session } = unwrap(
        await portal.client().verifyOtp({ email, token: properties.email_otp, type }),
      );
      expect(session?.user.id).toBe(id);
    }
    expect(await portal.mails(email)).toEqual([]);
  });

  test('for a new account', async () => {
    for (const type of ['signup', 'invite'] as const) {
      const email = portal.address();
      const { properties, user } = unwrap(await make({ type, email, password, data: { first_name: 'Una' } }));
      expect(user.email).toBe(email);
      const client = portal.client();
      unwrap(await client.verifyOtp({ token_hash: properties.hashed_token, type }));
      expect((await client.requireSession()).user.email_confirmed_at).toBeTruthy();
    }
  });

  test('for an email change', async () => {
    const { email, id } = await portal.createUser();
    const newEmail = portal.address('moved');
    const both = [];
    for (const type of ['email_change_current', 'email_change_new'] as const) {
      both.push(unwrap(await make({ type, email, newEmail })).properties.hashed_token);
    }
    const confirm = (token_hash = '') => portal.client().verifyOtp({ token_hash, type: 'email_change' });
    expect((await confirm(both[0])).data).toMatchObject({ session: null });
    expect(unwrap(await confirm(both[1])).user).toMatchObject({ id, email: newEmail });
  });

  test('rejects unknown users, duplicates and missing types', async () => {
    const { email } = await portal.createUser();
    const refused = async (asked: object) => errorOf(await make(asked));
    expect(await refused({ type: 'recovery', email: portal.address() })).toEqual(
      errorWith(404, 'user_not_found'),
    );
    expect(await refused({ type: 'signup', email, password })).toEqual(errorWith(422, 'email_exists'));
    expect(await refused({ type: 'invite', email })).toEqual(errorWith(422, 'email_exists'));
    expect(await refused({ type: 'something', email })).toEqual(errorWith(400, 'validation_failed'));
    expect(await refused({ type: 'recovery', email: 'nonsense' })).toEqual(
      errorWith(400, 'validation_failed'),
    );
    expect(await refused({ type: 'signup', email: portal.address() })).toEqual(
      errorWith(400, 'validation_failed'),
    );
    const other = await portal.createUser();
    const taken = { type: 'email_change_new', email, newEmail: other.email };
    expect(await refused(taken)).toEqual(errorWith(422, 'email_exists'));
  });
});

describe('sessions and factors of other users', () => {
  test('sign-out by access token ends the session', async () => {
    const { who, client, session } = await portal.signedInUser();
    const other = portal.client();
    await other.signIn(who.email);
    const out = await portal.program.admin.signOut(session.access_token, 'others');
    expect(out.error).toBeNull();
    expect(await other.isSessionEnded()).toBe(true);
    unwrap(await client.getUser());
    expect((await portal.program.admin.signOut(session.access_token)).error).toBeNull();
    expect(await client.isSessionEnded()).toBe(true);
  });

  test('factors are listed and deleted', async () => {
    const { who, client } = await portal.signedInUser();
    const { id, totp: app } = unwrap(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' }));
    unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(app.secret) }));
    const { mfa } = portal.program.admin;
    const { factors } = unwrap(await mfa.listFactors({ userId: who.id }));
    expect(factors).toEqual([expect.objectContaining({ id, status: 'verified', friendly_name: 'Phone' })]);
    expect(JSON.stringify(factors)).not.toContain(app.secret);
    unwrap(await mfa.deleteFactor({ id, userId: who.id }));
    expect(unwrap(await mfa.listFactors({ userId: who.id })).factors).toEqual([]);
    const again = await mfa.deleteFactor({ id, userId: who.id });
    expect(errorOf(again)).toEqual(errorWith(404, 'mfa_factor_not_found'));
  });
});

describe('audit log', () => {
  test('lists events with address and user agent', async () => {
    const who = await portal.createUser();
    const headers = { 'x-forwarded-for': '198.19.3.4', 'user-agent': 'a test' };
    await portal.client({ headers }).signIn(who.email);
    const token = signJwt({ role: 'service_role' });
    const told = async () => {
      const response = await portal.ask('/admin/audit?page=1&per_page=20', { token });
      expect(response.status).toBe(200);
      const entries = response.body as unknown as { ip_address: string; payload: Record<string, unknown> }[];
      return entries.filter(({ ip_address }) => ip_address === '198.19.3.4');
    };
    // Activity entries are numbered a moment later.
    await expect.poll(told).toEqual([
      expect.objectContaining({
        payload: expect.objectContaining({
          action: 'session.started',
          traits: expect.objectContaining({ user_id: who.id, user_agent: 'a test' }),
        }),
      }),
    ]);
    expect(await portal.ask('/admin/audit?query=nonsense', { token })).toMatchObject({ status: 400 });
    expect((await portal.ask('/admin/audit')).status).toBe(401);
  });

  test('contains no secrets', async () => {
    const { who, client, session } = await portal.signedInUser();
    unwrap(await client.resetPasswordForEmail(who.email));
    const mail = await portal.mail(who.email);
    const { token_hash } = linkParams(mail);
    await portal.client().verifyOtp({ token_hash, type: 'recovery' });
    const logged = portal.portal.logged;
    for (const secret of [token_hash, session.access_token, session.refresh_token, password]) {
      expect(logged.includes(secret)).toBe(false);
    }
  });
});
