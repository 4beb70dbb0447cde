/** Email change confirmed at both addresses; `email-change-single-confirmation` tests the other setting. */
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
} from './support/server';

const portal = startServer({ SPV_AUTH_MAIL_GAP_SECONDS: '0' });

describe('email change', () => {
  test('needs both confirmations in any order', async () => {
    for (const first of ['present', 'new'] as const) {
      const { who, client } = await portal.signedInUser();
      const wanted = portal.address('moved');
      const { user } = unwrap(await client.updateUser({ email: wanted }));
      expect(user).toMatchObject({ email: who.email, new_email: wanted });
      expect(client.events).toContain('USER_UPDATED');
      const mails = [await portal.mail(who.email), await portal.mail(wanted)];
      expect(mails.map((mail) => linkParams(mail).type)).toEqual(['email_change', 'email_change']);
      if (first === 'new') mails.reverse();

      const half = portal.client();
      const half_ = await half.verifyOtp(linkParams(mails[0] as never));
      expect(half_.error).toBeNull();
      expect(half_.data).toMatchObject({ session: null });
      const between = unwrap(await client.getUser()).user;
      expect(between).toMatchObject({ email: who.email, new_email: wanted });

      const whole = portal.client();
      const { user: changed } = unwrap(await whole.verifyOtp(linkParams(mails[1] as never)));
      expect(changed?.email).toBe(wanted);
      expect(changed).not.toHaveProperty('new_email');
      unwrap(await client.getUser());
      const renewed = unwrap(await client.refreshSession()).session;
      expect(jwtClaims(renewed?.access_token ?? '').email).toBe(wanted);
      await portal.client().signIn(wanted);
      expect((await portal.client().signInWithPassword({ email: who.email, password })).error).toBeTruthy();
    }
  });

  test('accepts codes, each with its own address', async () => {
    const { who, client } = await portal.signedInUser();
    const wanted = portal.address('moved');
    unwrap(await client.updateUser({ email: wanted }));
    const present = (await portal.mail(who.email)).code();
    const other = (await portal.mail(wanted)).code();
    if (present !== other) {
      const mixed = await portal.client().verifyOtp({ email: wanted, token: present, type: 'email_change' });
      expect(errorOf(mixed)).toEqual(errorWith(403, 'otp_expired'));
    }
    const half = await portal.client().verifyOtp({ email: who.email, token: present, type: 'email_change' });
    expect([half.error, half.data.session]).toEqual([null, null]);
    const { session } = unwrap(
      await portal.client().verifyOtp({ email: wanted, token: other, type: 'email_change' }),
    );
    expect(session?.user.email).toBe(wanted);
  });

  test('with PKCE redirects back with a code after the second click', async () => {
    const who = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    await client.signIn(who.email);
    const wanted = portal.address('moved');
    unwrap(await client.updateUser({ email: wanted }, { emailRedirectTo: EXTERNAL_URL }));
    const first = await portal.followLink(await portal.mail(who.email));
    expect(first.href.startsWith(EXTERNAL_URL)).toBe(true);
    expect(new URLSearchParams(first.hash.slice(1)).get('message')).toMatch(/confirm/i);
    const second = await portal.followLink(await portal.mail(wanted));
    const { session } = unwrap(await client.exchangeCodeForSession(second.searchParams.get('code') ?? ''));
    expect(session.user.email).toBe(wanted);
  });

  test('rejects a taken address and ignores the own one', async () => {
    const { who, client } = await portal.signedInUser();
    const other = await portal.createUser();
    expect(errorOf(await client.updateUser({ email: other.email }))).toEqual(errorWith(422, 'email_exists'));
    const same = unwrap(await client.updateUser({ email: who.email.toUpperCase() })).user;
    expect(same).not.toHaveProperty('new_email');
    expect(await portal.mails(who.email)).toEqual([]);
    expect(errorOf(await client.updateUser({ email: 'nonsense' }))).toEqual(
      errorWith(400, 'validation_failed'),
    );
  });

  test('replaces an earlier change and invalidates its links', async () => {
    const { who, client } = await portal.signedInUser();
    const [one, two] = [portal.address('one'), portal.address('two')];
    unwrap(await client.updateUser({ email: one }));
    const old = await portal.mail(one);
    unwrap(await client.updateUser({ email: two }));
    expect(errorOf(await portal.client().verifyOtp(linkParams(old)))).toEqual(errorWith(403, 'otp_expired'));
    const present = await portal.portal.post.count(who.email, '', (mails) => mails.length === 2);
    expect((await portal.client().verifyOtp(linkParams(present[1] as never))).error).toBeNull();
    unwrap(await portal.client().verifyOtp(linkParams(await portal.mail(two))));
    await portal.client().signIn(two);
  });

  test('is mailed again on request, only while pending', async () => {
    const { who, client } = await portal.signedInUser();
    const wanted = portal.address('moved');
    unwrap(await client.updateUser({ email: wanted }));
    await portal.mail(wanted);
    unwrap(await client.resend({ type: 'email_change', email: who.email }));
    const again = await portal.portal.post.count(wanted, '', (mails) => mails.length === 2);
    expect((await portal.client().verifyOtp(linkParams(again[1] as never))).error).toBeNull();
    for (const email of [portal.address(), (await portal.createUser()).email]) {
      for (const type of ['email_change', 'signup'] as const)
        unwrap(await portal.client().resend({ type, email }));
      expect(await portal.mails(email)).toEqual([]);
    }
  });
});

describe('resend', () => {
  const cases: [string, object][] = [
    ['a missing type', { email: 'a@example.com' }],
    ['another type', { type: 'recovery', email: 'a@example.com' }],
    ['a missing email', { type: 'signup' }],
    ['email and phone together', { type: 'signup', email: 'a@example.com', phone: '1' }],
    ['a phone for an email type', { type: 'signup', phone: '+4712345678' }],
    ['an email for a phone type', { type: 'sms', email: 'a@example.com' }],
  ];
  test.each(cases)('rejects %s', async (_, body) => {
    expect(await portal.ask('/resend', { body })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });

  test('phone change is disabled', async () => {
    const response = await portal.ask('/resend', { body: { type: 'sms', phone: '+4712345678' } });
    expect(response).toMatchObject({ status: 400, body: { code: 'phone_provider_disabled' } });
  });
});
