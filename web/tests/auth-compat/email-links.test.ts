/** Links and codes that come by mail: a new password, signing in without one, invitations, proof of who sits there. */
import { describe, expect, test } from 'vitest';
import {
  elsewhere,
  got,
  linked,
  methods,
  no,
  office,
  password,
  refusal,
  shown,
  type Answer,
} from './support/server';

const portal = office({ SPV_AUTH_REDIRECT_ALLOW: 'https://*.example.com/**' });
const chosen = 'sparrow-copper-window-88';
const otpExpired = no(403, 'otp_expired');

function page(answer: Answer): URL {
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

describe('a forgotten password', () => {
  test('by the link: a session that may set a new one, and the link is used up', async () => {
    const { email } = await portal.somebody();
    const before = portal.client();
    await before.enters(email);
    got(await portal.client().resetPasswordForEmail(email));
    const mail = await portal.mail(email, 'password');
    const { token_hash, type } = linked(mail);
    expect(type).toBe('recovery');
    expect(new URL(mail.link('/auth/reset-password')).origin).toBe(portal.portal.url);

    const client = portal.client();
    const { session } = got(await client.verifyOtp({ token_hash, type }));
    expect(methods(session?.access_token ?? '')).toEqual(['otp']);
    expect(client.events).toContain('PASSWORD_RECOVERY');
    got(await client.updateUser({ password: chosen }));
    expect(refusal(await portal.client().verifyOtp({ token_hash, type }))).toEqual(otpExpired);
    expect(await before.isOut()).toBe(true);
    await portal.client().enters(email, chosen);
  });

  test('by the code, which is good once, and only with its own address', async () => {
    const { email } = await portal.somebody();
    const other = await portal.somebody();
    got(await portal.client().resetPasswordForEmail(email));
    const token = (await portal.mail(email)).code();
    const tries: [string, string][] = [
      [other.email, token],
      [portal.address(), token],
      [email, token === '123456' ? '654321' : '123456'],
    ];
    for (const [address, code] of tries) {
      const result = await portal.client().verifyOtp({ email: address, token: code, type: 'recovery' });
      expect(refusal(result), address).toEqual(otpExpired);
      expect(result.error?.message).toBe('Token has expired or is invalid');
    }
    // None at all is no code, and uses nothing up.
    const none = await portal.client().verifyOtp({ email, token: '', type: 'recovery' });
    expect(refusal(none)).toEqual(no(400, 'validation_failed'));
    const client = portal.client();
    const { user } = got(await client.verifyOtp({ email, token, type: 'recovery' }));
    expect(user?.email).toBe(email);
    expect(client.events).toContain('PASSWORD_RECOVERY');
    expect(refusal(await portal.client().verifyOtp({ email, token, type: 'recovery' }))).toEqual(otpExpired);
  });

  test('with PKCE: the click leads back to where it was asked for, whose secret opens the session', async () => {
    const { email } = await portal.somebody();
    const client = portal.client({ flowType: 'pkce' });
    got(await client.resetPasswordForEmail(email, { redirectTo: elsewhere }));
    const mail = await portal.mail(email);
    expect(linked(mail).token_hash).toMatch(/^pkce_/);
    const back = await portal.clicks(mail);
    expect(back.origin + back.pathname).toBe(elsewhere);
    const code = back.searchParams.get('code') ?? '';
    expect(back.href).not.toContain('access_token');

    const { session } = got(await client.exchangeCodeForSession(code));
    expect(client.events).toContain('PASSWORD_RECOVERY');
    expect(methods(session.access_token)).toEqual(['recovery']);
    got(await client.updateUser({ password: chosen }));
    await portal.client().enters(email, chosen);
  });

  test('with PKCE in another browser: the code from the mail serves instead', async () => {
    const { email } = await portal.somebody();
    got(await portal.client({ flowType: 'pkce' }).resetPasswordForEmail(email));
    const token = (await portal.mail(email)).code();
    const elsewhere_ = portal.client({ flowType: 'pkce' });
    got(await elsewhere_.verifyOtp({ email, token, type: 'recovery' }));
    expect(await elsewhere_.session()).not.toBeNull();
  });

  test('confirms an address that was never confirmed', async () => {
    const { email } = await portal.somebody({ email_confirm: false });
    got(await portal.client().resetPasswordForEmail(email));
    const { user } = got(await portal.client().verifyOtp(linked(await portal.mail(email))));
    expect(user?.email_confirmed_at).toBeTruthy();
    await portal.client().enters(email);
  });

  test('does not do away with a second factor', async () => {
    const { who, client } = await portal.inside();
    const { id, totp } = got(await client.mfa.enroll({ factorType: 'totp' }));
    got(await client.mfa.challengeAndVerify({ factorId: id, code: shown(totp.secret) }));
    got(await portal.client().resetPasswordForEmail(who.email));
    const later = portal.client();
    got(await later.verifyOtp(linked(await portal.mail(who.email))));
    expect(refusal(await later.updateUser({ password: chosen }))).toEqual(no(401, 'insufficient_aal'));
    got(await later.mfa.challengeAndVerify({ factorId: id, code: shown(totp.secret, 1) }));
    got(await later.updateUser({ password: chosen }));
    await portal.client().enters(who.email, chosen);
  });

  test('is asked for alike by somebody unknown, who gets no mail', async () => {
    const nobody = portal.address();
    const answer = await portal.ask('/recover', { body: { email: nobody } });
    const { email } = await portal.somebody();
    const known = await portal.ask('/recover', { body: { email } });
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect([known.status, known.text]).toEqual([200, '{}']);
    await portal.mail(email);
    expect(await portal.mails(nobody)).toEqual([]);
  });

  test('needs an address that is one', async () => {
    for (const body of [{}, { email: '' }, { email: 'not an address' }]) {
      const answer = await portal.ask('/recover', { body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });

  test('ends every link that was mailed before, once one is used', async () => {
    const { email } = await portal.somebody();
    const made = async () =>
      got(await portal.program.admin.generateLink({ type: 'recovery', email })).properties.hashed_token;
    const [one, two] = [await made(), await made()];
    got(await portal.client().verifyOtp({ token_hash: one, type: 'recovery' }));
    expect(refusal(await portal.client().verifyOtp({ token_hash: two, type: 'recovery' }))).toEqual(
      otpExpired,
    );
  });
});

describe('the first password', () => {
  test('is set by the mail about a new account: its link signs in once, and then the password does', async () => {
    const email = portal.address('newcomer');
    await portal.portal.operator(
      ...['company', 'create', '--name', 'Harbor Capital', '--business-name', 'Harbor Capital LLC'],
    );
    await portal.portal.operator(
      ...['client', 'create', '--setup', 'quick', '--first-name', 'Maya', '--last-name', 'Ortiz'],
      ...['--email', email, '--company', 'Harbor Capital', '--price', '1250.00'],
    );
    const wrong = await portal.client().signInWithPassword({ email, password: chosen });
    expect(refusal(wrong)).toEqual(no(400, 'invalid_credentials'));

    const mail = await portal.mail(email, 'Set your password');
    const { token_hash, type } = linked(mail);
    expect(new URL(mail.link('/auth/reset-password')).origin).toBe(portal.portal.url);
    const client = portal.client();
    const { session, user } = got(await client.verifyOtp({ token_hash, type }));
    expect(methods(session?.access_token ?? '')).toEqual(['otp']);
    expect(user).toMatchObject({ email, app_metadata: { role: 'client' } });
    got(await client.updateUser({ password: chosen }));
    expect(got(await client.getUser()).user.email_confirmed_at).toBeTruthy();

    expect(refusal(await portal.client().verifyOtp({ token_hash, type }))).toEqual(otpExpired);
    const { user: again } = await portal.client().enters(email, chosen);
    expect(again.id).toBe(user?.id);
  });
});

describe('a link that is only looked at', () => {
  test('is not used up, however often and in whatever way a scanner comes', async () => {
    const { email } = await portal.somebody();
    const { properties } = got(
      await portal.program.admin.generateLink({
        type: 'recovery',
        email,
        options: { redirectTo: elsewhere },
      }),
    );
    const link = new URL(properties.action_link);
    expect(link.pathname).toBe('/auth/v1/verify');
    expect(link.search).toMatch(/^\?token=.+&type=recovery&redirect_to=/);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const led = page(await portal.ask(link.href, { method }));
      expect(led.pathname).toBe('/auth/reset-password');
      expect(led.searchParams.get('token_hash')).toBe(properties.hashed_token);
      expect(led.searchParams.get('redirect_to')).toBe(elsewhere);
      expect((await portal.ask(led.href, { method })).status).toBe(200);
    }
    got(await portal.client().verifyOtp({ token_hash: properties.hashed_token, type: 'recovery' }));
    // Not even a used one tells anything.
    expect(page(await portal.ask(link.href)).pathname).toBe('/auth/reset-password');
  });

  test('has to name a token and a type', async () => {
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

describe('signing in by mail', () => {
  test('by the link, the code and, for whoever asked so, with PKCE', async () => {
    for (const by of ['link', 'code', 'pkce'] as const) {
      const { email } = await portal.somebody();
      const client = portal.client({ flowType: by === 'pkce' ? 'pkce' : 'implicit' });
      got(await client.signInWithOtp({ email, options: { emailRedirectTo: elsewhere } }));
      const mail = await portal.mail(email);
      if (by === 'link') {
        expect(linked(mail).type).toBe('magiclink');
        got(await client.verifyOtp(linked(mail)));
      } else if (by === 'code') {
        got(await client.verifyOtp({ email, token: mail.code(), type: 'email' }));
      } else {
        const back = await portal.clicks(mail);
        got(await client.exchangeCodeForSession(back.searchParams.get('code') ?? ''));
      }
      const session = await client.there();
      expect(session.user.email).toBe(email);
      expect(methods(session.access_token)).toEqual([by === 'pkce' ? 'magiclink' : 'otp']);
      expect(client.events).toContain('SIGNED_IN');
      expect(client.events).not.toContain('PASSWORD_RECOVERY');
      // By now it is used up, whichever way it went.
      const again = await portal.client().verifyOtp({ email, token: mail.code(), type: 'magiclink' });
      expect(refusal(again)).toEqual(otpExpired);
    }
  });

  test('without PKCE the click leads back with the session itself, which the client takes from there', async () => {
    const { email } = await portal.somebody();
    const client = portal.client();
    got(await client.signInWithOtp({ email, options: { emailRedirectTo: elsewhere } }));
    const back = await portal.clicks(await portal.mail(email));
    expect(back.href.startsWith(`${elsewhere}#`)).toBe(true);
    const brought = new URLSearchParams(back.hash.slice(1));
    const names = ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type', 'type'];
    expect(new Set(brought.keys())).toEqual(new Set(names));
    expect(brought.get('type')).toBe('magiclink');
    const [access_token, refresh_token] = ['access_token', 'refresh_token'].map(
      (name) => brought.get(name) ?? '',
    );
    got(await client.setSession({ access_token: access_token ?? '', refresh_token: refresh_token ?? '' }));
    expect((await client.there()).user.email).toBe(email);
  });

  test('makes no account, and says so where the client asks for none', async () => {
    for (const options of [{ shouldCreateUser: false }, {}]) {
      const email = portal.address();
      const result = await portal.client().signInWithOtp({ email, options });
      expect(refusal(result)).toEqual(no(422, 'otp_disabled'));
      expect(await portal.mails(email)).toEqual([]);
    }
  });

  test('needs one address that is one, and no channel', async () => {
    const bodies = [
      {},
      { email: 'a@example.com', phone: '123' },
      { email: 'x' },
      { email: 'a@b.cc', channel: 'sms' },
    ];
    for (const path of ['/otp', '/magiclink']) {
      for (const body of bodies) {
        const answer = await portal.ask(path, { body });
        expect(answer, JSON.stringify(body)).toMatchObject({
          status: 400,
          body: { code: 'validation_failed' },
        });
      }
    }
  });

  test('by the older route too', async () => {
    const { email } = await portal.somebody();
    const answer = await portal.ask('/magiclink', { body: { email } });
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    got(await portal.client().verifyOtp(linked(await portal.mail(email))));
  });
});

describe('an invitation', () => {
  test('makes an account whose owner comes by the link and sets a password', async () => {
    const email = portal.address('guest');
    const { user } = got(
      await portal.program.admin.inviteUserByEmail(email, { data: { first_name: 'Ines' } }),
    );
    expect(user.email).toBe(email);
    expect(user.invited_at).toBeTruthy();
    expect((await portal.client().signInWithPassword({ email, password })).error).toBeTruthy();
    const mail = await portal.mail(email, 'invitation');
    const client = portal.client();
    got(await client.verifyOtp(linked(mail)));
    got(await client.updateUser({ password: chosen }));
    const session = await portal.client().enters(email, chosen);
    expect(session.user.email_confirmed_at).toBeTruthy();
  });

  test('by the code, with the invitation’s own type', async () => {
    const email = portal.address('guest');
    got(await portal.program.admin.inviteUserByEmail(email));
    const token = (await portal.mail(email)).code();
    const { user } = got(await portal.client().verifyOtp({ email, token, type: 'invite' }));
    expect(user?.email).toBe(email);
  });

  test('may be sent again until it was accepted', async () => {
    const email = portal.address('guest');
    const first = got(await portal.program.admin.inviteUserByEmail(email)).user;
    const second = got(await portal.program.admin.inviteUserByEmail(email)).user;
    expect(second.id).toBe(first.id);
    await portal.portal.post.count(email, '', (mails) => mails.length === 2);
    const newest = await portal.mail(email);
    got(await portal.client().verifyOtp(linked(newest)));
    expect(refusal(await portal.program.admin.inviteUserByEmail(email))).toEqual(no(422, 'email_exists'));
  });
});

describe('proof of who sits there', () => {
  test('is a code that lets a password be set in place of the present one, once', async () => {
    const { who, client } = await portal.inside();
    got(await client.reauthenticate());
    const mail = await portal.mail(who.email);
    const nonce = mail.code();
    expect(mail.text).not.toContain('token_hash');
    const wrong = await client.updateUser({
      password: chosen,
      nonce: nonce === '000000' ? '000001' : '000000',
    });
    expect(refusal(wrong)).toEqual(no(422, 'reauthentication_not_valid'));
    got(await client.updateUser({ password: chosen, nonce }));
    await portal.client().enters(who.email, chosen);
    const again = await client.updateUser({ password: 'thistle-anchor-violet-19', nonce });
    expect(refusal(again)).toEqual(no(422, 'reauthentication_not_valid'));
  });

  test('is asked for where somebody has sat for more than a day', async () => {
    const { who, client } = await portal.inside();
    await portal.portal.dayPasses();
    expect(refusal(await client.updateUser({ password: chosen }))).toEqual(
      no(400, 'reauthentication_needed'),
    );
    got(await client.reauthenticate());
    const nonce = (await portal.mail(who.email)).code();
    got(await client.updateUser({ password: chosen, nonce }));
    await portal.client().enters(who.email, chosen);
  });

  test('is no way in', async () => {
    const { who, client } = await portal.inside();
    got(await client.reauthenticate());
    const token = (await portal.mail(who.email)).code();
    for (const type of ['recovery', 'email', 'magiclink'] as const) {
      expect(refusal(await portal.client().verifyOtp({ email: who.email, token, type }))).toEqual(otpExpired);
    }
  });

  test('is for somebody who is signed in', async () => {
    expect(refusal(await portal.client().reauthenticate())).toMatchObject({ code: undefined });
    expect(await portal.ask('/reauthenticate')).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    });
  });
});

describe('what a link or code is asked with', () => {
  const cases: [string, object, number, string][] = [
    ['no type', { token_hash: 'x' }, 400, 'validation_failed'],
    ['neither', { type: 'recovery' }, 400, 'validation_failed'],
    ['both', { type: 'recovery', token: '123456', token_hash: 'x' }, 400, 'validation_failed'],
    [
      'hash and address',
      { type: 'recovery', email: 'a@example.com', token_hash: 'x' },
      400,
      'validation_failed',
    ],
    ['an unknown type', { type: 'something', token_hash: 'x' }, 400, 'validation_failed'],
    ['no address', { type: 'recovery', token: '123456' }, 400, 'validation_failed'],
    ['no address that is one', { type: 'recovery', email: 'x', token: '123456' }, 422, 'validation_failed'],
    ['a hash of nothing', { type: 'recovery', token_hash: 'x' }, 403, 'otp_expired'],
    ['an empty hash', { type: 'recovery', token_hash: '' }, 400, 'validation_failed'],
    ['a phone that is none', { type: 'sms', phone: 'abc', token: '123456' }, 400, 'validation_failed'],
    ['a phone', { type: 'sms', phone: '+4712345678', token: '123456' }, 403, 'otp_expired'],
  ];
  test.each(cases)('%s', async (_, body, status, code) => {
    expect(await portal.ask('/verify', { body })).toMatchObject({ status, body: { code } });
  });
});

describe('where a click may lead', () => {
  test('is us, this machine, and what the operator allows; anything else becomes us', async () => {
    const { email } = await portal.somebody();
    const asked = async (redirectTo: string) => {
      const made = await portal.program.admin.generateLink({
        type: 'magiclink',
        email,
        options: { redirectTo },
      });
      return got(made).properties.redirect_to;
    };
    const own = new URL(portal.portal.url);
    for (const good of [`${own.origin}/client`, elsewhere, 'https://app.example.com/in?x=1']) {
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
