/** A new e-mail address, confirmed at both addresses; `addresses-one-sided` is for the other setting. */
import { describe, expect, test } from 'vitest';
import { jwtClaims, EXTERNAL_URL, unwrap, linkParams, errorWith, startServer, password, errorOf } from './support/server';

const portal = startServer({ SPV_AUTH_MAIL_GAP_SECONDS: '0' });

describe('a new address', () => {
  test('waits for both confirmations, in any order, and is true then', async () => {
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

  test('by codes, each with its own address', async () => {
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

  test('with PKCE: the second click leads back with a code', async () => {
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

  test('is refused where somebody has it, and wanting one’s own changes nothing', async () => {
    const { who, client } = await portal.signedInUser();
    const other = await portal.createUser();
    expect(errorOf(await client.updateUser({ email: other.email }))).toEqual(errorWith(422, 'email_exists'));
    const same = unwrap(await client.updateUser({ email: who.email.toUpperCase() })).user;
    expect(same).not.toHaveProperty('new_email');
    expect(await portal.mails(who.email)).toEqual([]);
    expect(errorOf(await client.updateUser({ email: 'nonsense' }))).toEqual(errorWith(400, 'validation_failed'));
  });

  test('that is wanted later takes the place of the one before, whose links are worth nothing', async () => {
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

  test('is mailed once more on demand, and only where one is waited for', async () => {
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

describe('a confirmation once more', () => {
  const cases: [string, object][] = [
    ['of no kind', { email: 'a@example.com' }],
    ['of another kind', { type: 'recovery', email: 'a@example.com' }],
    ['without an address', { type: 'signup' }],
    ['with an address and a phone', { type: 'signup', email: 'a@example.com', phone: '1' }],
    ['by phone for an address', { type: 'signup', phone: '+4712345678' }],
    ['by mail for a phone', { type: 'sms', email: 'a@example.com' }],
  ];
  test.each(cases)('%s is refused', async (_, body) => {
    expect(await portal.ask('/resend', { body })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });

  test('by phone is switched off', async () => {
    const answer = await portal.ask('/resend', { body: { type: 'sms', phone: '+4712345678' } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'phone_provider_disabled' } });
  });
});
