/** Sign-up with email confirmation. */
import { describe, expect, test } from 'vitest';
import {
  EXTERNAL_URL,
  unwrap,
  linkParams,
  errorWith,
  startServer,
  password,
  errorOf,
} from './support/server';

const portal = startServer({ SPV_AUTH_SIGNUP: 'true', SPV_AUTH_MAIL_GAP_SECONDS: '0' });

describe('new account', () => {
  test('waits for confirmation by link or code', async () => {
    for (const by of ['link', 'code'] as const) {
      const email = portal.address('new');
      const client = portal.client();
      const { user, session } = unwrap(
        await client.signUp({ email, password, options: { data: { first_name: 'Ada' } } }),
      );
      expect(session).toBeNull();
      expect(user).toMatchObject({ email, user_metadata: { first_name: 'Ada' }, role: 'authenticated' });
      expect(user?.confirmation_sent_at).toBeTruthy();
      expect(user?.email_confirmed_at).toBeUndefined();
      expect(user?.identities).toHaveLength(1);
      const early = await portal.client().signInWithPassword({ email, password });
      expect(errorOf(early)).toEqual(errorWith(400, 'email_not_confirmed'));

      const mail = await portal.mail(email, 'Confirm');
      expect(linkParams(mail).type).toBe('signup');
      const confirmed =
        by === 'link'
          ? await client.verifyOtp(linkParams(mail))
          : await client.verifyOtp({ email, token: mail.code(), type: 'email' });
      expect(unwrap(confirmed).user).toMatchObject({ id: user?.id, user_metadata: { email_verified: true } });
      expect(client.events).toContain('SIGNED_IN');
      expect((await portal.client().signIn(email)).user.email_confirmed_at).toBeTruthy();
    }
  });

  test('with PKCE is confirmed by a click that redirects back', async () => {
    const email = portal.address('new');
    const client = portal.client({ flowType: 'pkce' });
    unwrap(await client.signUp({ email, password, options: { emailRedirectTo: EXTERNAL_URL } }));
    const back = await portal.followLink(await portal.mail(email));
    const { session } = unwrap(await client.exchangeCodeForSession(back.searchParams.get('code') ?? ''));
    expect(session.user.email).toBe(email);
  });

  test('cannot grant itself roles', async () => {
    const email = portal.address('new');
    const data = { role: 'super_admin', company_id: crypto.randomUUID(), email_verified: true };
    const { user } = unwrap(await portal.client().signUp({ email, password, options: { data } }));
    expect(user?.app_metadata.role).toBe('client');
    const client = portal.client();
    unwrap(await client.verifyOtp(linkParams(await portal.mail(email))));
    const token = (await client.requireSession()).access_token;
    const me = await portal.ask(`${portal.portal.url}/rest/v1/me`, { token });
    expect(me.body).toMatchObject({ role: 'client' });
    expect((await portal.ask('/admin/users', { token })).status).toBe(403);
  });

  test('confirmation can be resent', async () => {
    const email = portal.address('new');
    unwrap(await portal.client().signUp({ email, password }));
    await portal.mail(email);
    unwrap(await portal.client().resend({ type: 'signup', email }));
    const mails = await portal.portal.post.count(email, 'Confirm', (found) => found.length === 2);
    unwrap(await portal.client().verifyOtp(linkParams(mails[1] as never)));
  });
});

describe('taken address', () => {
  test('gets the response of a new one; the owner is mailed and nothing changes', async () => {
    const { email, id } = await portal.createUser();
    const { user, session } = unwrap(
      await portal.client().signUp({ email, password: 'sparrow-copper-window-88' }),
    );
    expect(session).toBeNull();
    expect(user).toMatchObject({ email, identities: [], role: '' });
    expect(user?.id).not.toBe(id);
    await portal.mail(email, 'already');
    await portal.client().signIn(email);
  });

  test('unconfirmed account is mailed again and keeps its first password', async () => {
    const email = portal.address('new');
    const first = unwrap(await portal.client().signUp({ email, password })).user;
    const second = unwrap(await portal.client().signUp({ email, password: 'sparrow-copper-window-88' })).user;
    expect(second?.id).toBe(first?.id);
    const mails = await portal.portal.post.count(email, 'Confirm', (found) => found.length === 2);
    unwrap(await portal.client().verifyOtp(linkParams(mails[1] as never)));
    await portal.client().signIn(email);
  });
});

describe('invalid sign-up', () => {
  const cases: [string, object, number, string][] = [
    ['no password', { email: 'new@example.com' }, 400, 'validation_failed'],
    ['an empty password', { email: 'new@example.com', password: '' }, 400, 'validation_failed'],
    ['a short password', { email: 'new@example.com', password: 'abc' }, 422, 'weak_password'],
    ['a common password', { email: 'new@example.com', password: 'password123' }, 422, 'weak_password'],
    ['a long password', { email: 'new@example.com', password: 'é1'.repeat(65) }, 400, 'validation_failed'],
    ['an invalid email', { email: 'nonsense', password }, 400, 'validation_failed'],
    ['email and phone', { email: 'a@example.com', phone: '+47123', password }, 400, 'validation_failed'],
    ['a phone', { phone: '+4712345678', password }, 400, 'phone_provider_disabled'],
    [
      'a challenge without its method',
      { email: 'a@example.com', password, code_challenge: 'x' },
      400,
      'validation_failed',
    ],
  ];
  test.each(cases)('is rejected with %s', async (_, body, status, code) => {
    expect(await portal.ask('/signup', { body })).toMatchObject({ status, body: { code } });
  });

  test('has error messages that the client compares', async () => {
    const said = async (body: object) => (await portal.ask('/signup', { body })).body.message;
    expect(await said({ email: portal.address(), password: 'abc' })).toMatch(
      /^Password should be at least \d+ characters/,
    );
    expect(await said({ email: 'nonsense', password })).toBe(
      'Unable to validate email address: invalid format',
    );
  });

  test('anonymous sign-up is rejected', async () => {
    const guest = await portal.client().signInAnonymously();
    expect(errorOf(guest)).toEqual(errorWith(422, 'anonymous_provider_disabled'));
    expect(guest.error?.message).toBe('Anonymous sign-ins are disabled');
  });
});

describe('magic link', () => {
  test('creates an account unless shouldCreateUser is false', async () => {
    const email = portal.address('new');
    const none = await portal.client().signInWithOtp({ email, options: { shouldCreateUser: false } });
    expect(errorOf(none)).toEqual(errorWith(422, 'otp_disabled'));
    unwrap(await portal.client().signInWithOtp({ email, options: { data: { first_name: 'Olu' } } }));
    const { user } = unwrap(
      await portal.client().verifyOtp({ email, token: (await portal.mail(email)).code(), type: 'email' }),
    );
    expect(user).toMatchObject({ email, user_metadata: { email_verified: true } });
  });
});

test('/settings reports sign-up', async () => {
  expect((await portal.ask('/settings')).body).toMatchObject({
    disable_signup: false,
    mailer_autoconfirm: false,
  });
});
