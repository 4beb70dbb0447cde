/** Email links and codes: recovery, magic links, invitations and reauthentication. */
import { describe, expect, test } from 'vitest';
import {
  EXTERNAL_URL,
  unwrap,
  linkParams,
  amrMethods,
  errorWith,
  startServer,
  password,
  errorOf,
  currentCode,
  type HttpResponse,
} from './support/server';

const portal = startServer({ SPV_AUTH_REDIRECT_ALLOW: 'https://*.example.com/**' });
const NEW_PASSWORD = 'sparrow-copper-window-88';
const OTP_EXPIRED = errorWith(403, 'otp_expired');

function page(response: HttpResponse): URL {
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

describe('password recovery', () => {
  test('by link opens a session that may set a password, and the link is consumed', async () => {
    const { email } = await portal.createUser();
    const before = portal.client();
    await before.signIn(email);
    unwrap(await portal.client().resetPasswordForEmail(email));
    const mail = await portal.mail(email, 'password');
    const { token_hash, type } = linkParams(mail);
    expect(type).toBe('recovery');
    expect(new URL(mail.link('/auth/reset-password')).origin).toBe(portal.portal.url);

    const client = portal.client();
    const { session } = unwrap(await client.verifyOtp({ token_hash, type }));
    expect(amrMethods(session?.access_token ?? '')).toEqual(['otp']);
    expect(client.events).toContain('PASSWORD_RECOVERY');
    unwrap(await client.updateUser({ password: NEW_PASSWORD }));
    expect(errorOf(await portal.client().verifyOtp({ token_hash, type }))).toEqual(OTP_EXPIRED);
    expect(await before.isSessionEnded()).toBe(true);
    await portal.client().signIn(email, NEW_PASSWORD);
  });

  test('by code works once and only with its own address', async () => {
    const { email } = await portal.createUser();
    const other = await portal.createUser();
    unwrap(await portal.client().resetPasswordForEmail(email));
    const token = (await portal.mail(email)).code();
    const tries: [string, string][] = [
      [other.email, token],
      [portal.address(), token],
      [email, token === '123456' ? '654321' : '123456'],
    ];
    for (const [address, code] of tries) {
      const result = await portal.client().verifyOtp({ email: address, token: code, type: 'recovery' });
      expect(errorOf(result), address).toEqual(OTP_EXPIRED);
      expect(result.error?.message).toBe('Token has expired or is invalid');
    }
    // An empty code is invalid and consumes nothing.
    const none = await portal.client().verifyOtp({ email, token: '', type: 'recovery' });
    expect(errorOf(none)).toEqual(errorWith(400, 'validation_failed'));
    const client = portal.client();
    const { user } = unwrap(await client.verifyOtp({ email, token, type: 'recovery' }));
    expect(user?.email).toBe(email);
    expect(client.events).toContain('PASSWORD_RECOVERY');
    expect(errorOf(await portal.client().verifyOtp({ email, token, type: 'recovery' }))).toEqual(OTP_EXPIRED);
  });

  test('with PKCE redirects back, and the code verifier opens the session', async () => {
    const { email } = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    unwrap(await client.resetPasswordForEmail(email, { redirectTo: EXTERNAL_URL }));
    const mail = await portal.mail(email);
    expect(linkParams(mail).token_hash).toMatch(/^pkce_/);
    const back = await portal.followLink(mail);
    expect(back.origin + back.pathname).toBe(EXTERNAL_URL);
    const code = back.searchParams.get('code') ?? '';
    expect(back.href).not.toContain('access_token');

    const { session } = unwrap(await client.exchangeCodeForSession(code));
    expect(client.events).toContain('PASSWORD_RECOVERY');
    expect(amrMethods(session.access_token)).toEqual(['recovery']);
    unwrap(await client.updateUser({ password: NEW_PASSWORD }));
    await portal.client().signIn(email, NEW_PASSWORD);
  });

  test('with PKCE in another browser falls back to the code', async () => {
    const { email } = await portal.createUser();
    unwrap(await portal.client({ flowType: 'pkce' }).resetPasswordForEmail(email));
    const token = (await portal.mail(email)).code();
    const elsewhere_ = portal.client({ flowType: 'pkce' });
    unwrap(await elsewhere_.verifyOtp({ email, token, type: 'recovery' }));
    expect(await elsewhere_.session()).not.toBeNull();
  });

  test('confirms an unconfirmed address', async () => {
    const { email } = await portal.createUser({ email_confirm: false });
    unwrap(await portal.client().resetPasswordForEmail(email));
    const { user } = unwrap(await portal.client().verifyOtp(linkParams(await portal.mail(email))));
    expect(user?.email_confirmed_at).toBeTruthy();
    await portal.client().signIn(email);
  });

  test('does not bypass MFA', async () => {
    const { who, client } = await portal.signedInUser();
    const { id, totp } = unwrap(await client.mfa.enroll({ factorType: 'totp' }));
    unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret) }));
    unwrap(await portal.client().resetPasswordForEmail(who.email));
    const later = portal.client();
    unwrap(await later.verifyOtp(linkParams(await portal.mail(who.email))));
    expect(errorOf(await later.updateUser({ password: NEW_PASSWORD }))).toEqual(
      errorWith(401, 'insufficient_aal'),
    );
    unwrap(await later.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret, 1) }));
    unwrap(await later.updateUser({ password: NEW_PASSWORD }));
    await portal.client().signIn(who.email, NEW_PASSWORD);
  });

  test('does not reveal unknown addresses and sends them no mail', async () => {
    const anonymous = portal.address();
    const response = await portal.ask('/recover', { body: { email: anonymous } });
    const { email } = await portal.createUser();
    const known = await portal.ask('/recover', { body: { email } });
    expect([response.status, response.text]).toEqual([200, '{}']);
    expect([known.status, known.text]).toEqual([200, '{}']);
    await portal.mail(email);
    expect(await portal.mails(anonymous)).toEqual([]);
  });

  test('needs a valid email', async () => {
    for (const body of [{}, { email: '' }, { email: 'not an address' }]) {
      const response = await portal.ask('/recover', { body });
      expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });

  test('invalidates all earlier links once one is used', async () => {
    const { email } = await portal.createUser();
    const made = async () =>
      unwrap(await portal.program.admin.generateLink({ type: 'recovery', email })).properties.hashed_token;
    const [one, two] = [await made(), await made()];
    unwrap(await portal.client().verifyOtp({ token_hash: one, type: 'recovery' }));
    expect(errorOf(await portal.client().verifyOtp({ token_hash: two, type: 'recovery' }))).toEqual(
      OTP_EXPIRED,
    );
  });
});

describe('first password', () => {
  test('is set through the account mail, whose link signs in once', async () => {
    const email = portal.address('newcomer');
    await portal.portal.operator(
      ...['company', 'create', '--name', 'Harbor Capital', '--business-name', 'Harbor Capital LLC'],
    );
    await portal.portal.operator(
      ...['client', 'create', '--setup', 'quick', '--first-name', 'Maya', '--last-name', 'Ortiz'],
      ...['--email', email, '--company', 'Harbor Capital', '--price', '1250.00'],
    );
    const wrong = await portal.client().signInWithPassword({ email, password: NEW_PASSWORD });
    expect(errorOf(wrong)).toEqual(errorWith(400, 'invalid_credentials'));

    const mail = await portal.mail(email, 'Set your password');
    const { token_hash, type } = linkParams(mail);
    expect(new URL(mail.link('/auth/reset-password')).origin).toBe(portal.portal.url);
    const client = portal.client();
    const { session, user } = unwrap(await client.verifyOtp({ token_hash, type }));
    expect(amrMethods(session?.access_token ?? '')).toEqual(['otp']);
    expect(user).toMatchObject({ email, app_metadata: { role: 'client' } });
    unwrap(await client.updateUser({ password: NEW_PASSWORD }));
    expect(unwrap(await client.getUser()).user.email_confirmed_at).toBeTruthy();

    expect(errorOf(await portal.client().verifyOtp({ token_hash, type }))).toEqual(OTP_EXPIRED);
    const { user: again } = await portal.client().signIn(email, NEW_PASSWORD);
    expect(again.id).toBe(user?.id);
  });
});

describe('prefetched link', () => {
  test('is not consumed by any number of scanner requests', async () => {
    const { email } = await portal.createUser();
    const { properties } = unwrap(
      await portal.program.admin.generateLink({
        type: 'recovery',
        email,
        options: { redirectTo: EXTERNAL_URL },
      }),
    );
    const link = new URL(properties.action_link);
    expect(link.pathname).toBe('/auth/v1/verify');
    expect(link.search).toMatch(/^\?token=.+&type=recovery&redirect_to=/);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const led = page(await portal.ask(link.href, { method }));
      expect(led.pathname).toBe('/auth/reset-password');
      expect(led.searchParams.get('token_hash')).toBe(properties.hashed_token);
      expect(led.searchParams.get('redirect_to')).toBe(EXTERNAL_URL);
      expect((await portal.ask(led.href, { method })).status).toBe(200);
    }
    unwrap(await portal.client().verifyOtp({ token_hash: properties.hashed_token, type: 'recovery' }));
    // A consumed link reveals nothing either.
    expect(page(await portal.ask(link.href)).pathname).toBe('/auth/reset-password');
  });

  test('requires a token and a type', async () => {
    for (const path of [
      '/verify',
      '/verify?token=x',
      '/verify?type=recovery',
      '/verify?token=x&type=nothing',
    ]) {
      expect(await portal.ask(path), path).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
  });
});

describe('magic link', () => {
  test('signs in by link, by code, and with PKCE', async () => {
    for (const by of ['link', 'code', 'pkce'] as const) {
      const { email } = await portal.createUser();
      const client = portal.client({ flowType: by === 'pkce' ? 'pkce' : 'implicit' });
      unwrap(await client.signInWithOtp({ email, options: { emailRedirectTo: EXTERNAL_URL } }));
      const mail = await portal.mail(email);
      if (by === 'link') {
        expect(linkParams(mail).type).toBe('magiclink');
        unwrap(await client.verifyOtp(linkParams(mail)));
      } else if (by === 'code') {
        unwrap(await client.verifyOtp({ email, token: mail.code(), type: 'email' }));
      } else {
        const back = await portal.followLink(mail);
        unwrap(await client.exchangeCodeForSession(back.searchParams.get('code') ?? ''));
      }
      const session = await client.requireSession();
      expect(session.user.email).toBe(email);
      expect(amrMethods(session.access_token)).toEqual([by === 'pkce' ? 'magiclink' : 'otp']);
      expect(client.events).toContain('SIGNED_IN');
      expect(client.events).not.toContain('PASSWORD_RECOVERY');
      // Consumed by now, by link or code.
      const again = await portal.client().verifyOtp({ email, token: mail.code(), type: 'magiclink' });
      expect(errorOf(again)).toEqual(OTP_EXPIRED);
    }
  });

  test('without PKCE redirects back with the session', async () => {
    const { email } = await portal.createUser();
    const client = portal.client();
    unwrap(await client.signInWithOtp({ email, options: { emailRedirectTo: EXTERNAL_URL } }));
    const back = await portal.followLink(await portal.mail(email));
    expect(back.href.startsWith(`${EXTERNAL_URL}#`)).toBe(true);
    const brought = new URLSearchParams(back.hash.slice(1));
    const names = ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type', 'type'];
    expect(new Set(brought.keys())).toEqual(new Set(names));
    expect(brought.get('type')).toBe('magiclink');
    const [access_token, refresh_token] = ['access_token', 'refresh_token'].map(
      (name) => brought.get(name) ?? '',
    );
    unwrap(await client.setSession({ access_token: access_token ?? '', refresh_token: refresh_token ?? '' }));
    expect((await client.requireSession()).user.email).toBe(email);
  });

  test('creates no account when shouldCreateUser is false, and says so', async () => {
    for (const options of [{ shouldCreateUser: false }, {}]) {
      const email = portal.address();
      const result = await portal.client().signInWithOtp({ email, options });
      expect(errorOf(result)).toEqual(errorWith(422, 'otp_disabled'));
      expect(await portal.mails(email)).toEqual([]);
    }
  });

  test('needs one valid email and no channel', async () => {
    const bodies = [
      {},
      { email: 'a@example.com', phone: '123' },
      { email: 'x' },
      { email: 'a@b.cc', channel: 'sms' },
    ];
    for (const path of ['/otp', '/magiclink']) {
      for (const body of bodies) {
        const response = await portal.ask(path, { body });
        expect(response, JSON.stringify(body)).toMatchObject({
          status: 400,
          body: { code: 'validation_failed' },
        });
      }
    }
  });

  test('works through the older route', async () => {
    const { email } = await portal.createUser();
    const response = await portal.ask('/magiclink', { body: { email } });
    expect([response.status, response.text]).toEqual([200, '{}']);
    unwrap(await portal.client().verifyOtp(linkParams(await portal.mail(email))));
  });
});

describe('invitation', () => {
  test('creates an account whose owner sets a password by link', async () => {
    const email = portal.address('guest');
    const { user } = unwrap(
      await portal.program.admin.inviteUserByEmail(email, { data: { first_name: 'Ines' } }),
    );
    expect(user.email).toBe(email);
    expect(user.invited_at).toBeTruthy();
    expect((await portal.client().signInWithPassword({ email, password })).error).toBeTruthy();
    const mail = await portal.mail(email, 'invitation');
    const client = portal.client();
    unwrap(await client.verifyOtp(linkParams(mail)));
    unwrap(await client.updateUser({ password: NEW_PASSWORD }));
    const session = await portal.client().signIn(email, NEW_PASSWORD);
    expect(session.user.email_confirmed_at).toBeTruthy();
  });

  test('by code uses the invite type', async () => {
    const email = portal.address('guest');
    unwrap(await portal.program.admin.inviteUserByEmail(email));
    const token = (await portal.mail(email)).code();
    const { user } = unwrap(await portal.client().verifyOtp({ email, token, type: 'invite' }));
    expect(user?.email).toBe(email);
  });

  test('can be resent until accepted', async () => {
    const email = portal.address('guest');
    const first = unwrap(await portal.program.admin.inviteUserByEmail(email)).user;
    const second = unwrap(await portal.program.admin.inviteUserByEmail(email)).user;
    expect(second.id).toBe(first.id);
    await portal.portal.post.count(email, '', (mails) => mails.length === 2);
    const newest = await portal.mail(email);
    unwrap(await portal.client().verifyOtp(linkParams(newest)));
    expect(errorOf(await portal.program.admin.inviteUserByEmail(email))).toEqual(
      errorWith(422, 'email_exists'),
    );
  });
});

describe('reauthentication', () => {
  test('code replaces the current password once', async () => {
    const { who, client } = await portal.signedInUser();
    unwrap(await client.reauthenticate());
    const mail = await portal.mail(who.email);
    const nonce = mail.code();
    expect(mail.text).not.toContain('token_hash');
    const wrong = await client.updateUser({
      password: NEW_PASSWORD,
      nonce: nonce === '000000' ? '000001' : '000000',
    });
    expect(errorOf(wrong)).toEqual(errorWith(422, 'reauthentication_not_valid'));
    unwrap(await client.updateUser({ password: NEW_PASSWORD, nonce }));
    await portal.client().signIn(who.email, NEW_PASSWORD);
    const again = await client.updateUser({ password: 'thistle-anchor-violet-19', nonce });
    expect(errorOf(again)).toEqual(errorWith(422, 'reauthentication_not_valid'));
  });

  test('is required for sessions older than a day', async () => {
    const { who, client } = await portal.signedInUser();
    await portal.portal.ageSessionsBy25Hours();
    expect(errorOf(await client.updateUser({ password: NEW_PASSWORD }))).toEqual(
      errorWith(400, 'reauthentication_needed'),
    );
    unwrap(await client.reauthenticate());
    const nonce = (await portal.mail(who.email)).code();
    unwrap(await client.updateUser({ password: NEW_PASSWORD, nonce }));
    await portal.client().signIn(who.email, NEW_PASSWORD);
  });

  test('code does not sign in', async () => {
    const { who, client } = await portal.signedInUser();
    unwrap(await client.reauthenticate());
    const token = (await portal.mail(who.email)).code();
    for (const type of ['recovery', 'email', 'magiclink'] as const) {
      expect(errorOf(await portal.client().verifyOtp({ email: who.email, token, type }))).toEqual(
        OTP_EXPIRED,
      );
    }
  });

  test('requires a session', async () => {
    expect(errorOf(await portal.client().reauthenticate())).toMatchObject({ code: undefined });
    expect(await portal.ask('/reauthenticate')).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    });
  });
});

describe('invalid verify request', () => {
  const cases: [string, object, number, string][] = [
    ['no type', { token_hash: 'x' }, 400, 'validation_failed'],
    ['neither token nor hash', { type: 'recovery' }, 400, 'validation_failed'],
    ['both token and hash', { type: 'recovery', token: '123456', token_hash: 'x' }, 400, 'validation_failed'],
    [
      'hash and email',
      { type: 'recovery', email: 'a@example.com', token_hash: 'x' },
      400,
      'validation_failed',
    ],
    ['an unknown type', { type: 'something', token_hash: 'x' }, 400, 'validation_failed'],
    ['no email', { type: 'recovery', token: '123456' }, 400, 'validation_failed'],
    ['an invalid email', { type: 'recovery', email: 'x', token: '123456' }, 422, 'validation_failed'],
    ['an unknown hash', { type: 'recovery', token_hash: 'x' }, 403, 'otp_expired'],
    ['an empty hash', { type: 'recovery', token_hash: '' }, 400, 'validation_failed'],
    ['an invalid phone', { type: 'sms', phone: 'abc', token: '123456' }, 400, 'validation_failed'],
    ['a phone', { type: 'sms', phone: '+4712345678', token: '123456' }, 403, 'otp_expired'],
  ];
  test.each(cases)('rejects %s', async (_, body, status, code) => {
    expect(await portal.ask('/verify', { body })).toMatchObject({ status, body: { code } });
  });
});

describe('redirect target', () => {
  test('is this site, loopback or an allowed URL; anything else becomes this site', async () => {
    const { email } = await portal.createUser();
    const asked = async (redirectTo: string) => {
      const made = await portal.program.admin.generateLink({
        type: 'magiclink',
        email,
        options: { redirectTo },
      });
      return unwrap(made).properties.redirect_to;
    };
    const own = new URL(portal.portal.url);
    for (const good of [`${own.origin}/client`, EXTERNAL_URL, 'https://app.example.com/in?x=1']) {
      expect(await asked(good)).toBe(good);
    }
    for (const bad of [
      'https://evil.test/',
      'https://example.com.evil.test/',
      '//evil.test',
      'javascript:alert(1)',
      `${own.origin}@evil.test/`,
      'http://2130706433/',
      'https://93.184.216.34/',
      'ftp://app.example.com/',
    ]) {
      expect(new URL(await asked(bad)).origin, bad).toBe(own.origin);
    }
  });
});
