/** MFA factors: TOTP authenticators and recovery codes. */
import { describe, expect, test } from 'vitest';
import {
  jwtClaims,
  unwrap,
  amrMethods,
  errorWith,
  startServer,
  password,
  errorOf,
  currentCode,
  uuid,
  type Client,
} from './support/server';

const portal = startServer();

/** Enrols an authenticator and verifies its first code. */
async function addAuthenticator(client: Client, friendlyName = 'Phone') {
  const { id, totp: app } = unwrap(await client.mfa.enroll({ factorType: 'totp', friendlyName }));
  unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(app.secret) }));
  return { factorId: id, secret: app.secret };
}

/** A user with an authenticator and a session at aal2. */
async function enrolledUser() {
  const inside = await portal.signedInUser();
  return { ...inside, ...(await addAuthenticator(inside.client)) };
}

describe('enrolling an authenticator', () => {
  test('returns the TOTP secret and takes effect once verified', async () => {
    const { who, client, session } = await portal.signedInUser();
    const made = unwrap(
      await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Harbor' }),
    );
    expect(made).toMatchObject({ id: expect.stringMatching(uuid), type: 'totp', friendly_name: 'Phone' });
    expect(made.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
    const uri = new URL(made.totp.uri);
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe(`/Harbor:${who.email}`);
    expect(uri.searchParams.get('secret')).toBe(made.totp.secret);
    expect(uri.searchParams.get('issuer')).toBe('Harbor');

    // An unverified factor does not affect the session.
    const before = unwrap(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
    const waiting = unwrap(await client.mfa.listFactors());
    expect(waiting.totp).toEqual([]);
    expect(waiting.all).toEqual([expect.objectContaining({ id: made.id, status: 'unverified' })]);

    const challenge = unwrap(await client.mfa.challenge({ factorId: made.id }));
    expect(challenge).toMatchObject({ id: expect.stringMatching(uuid), type: 'totp' });
    expect(Math.abs(challenge.expires_at - Date.now() / 1000 - 300)).toBeLessThan(30);
    const code = currentCode(made.totp.secret);
    const raised = unwrap(await client.mfa.verify({ factorId: made.id, challengeId: challenge.id, code }));
    expect(client.events).toContain('MFA_CHALLENGE_VERIFIED');
    expect(jwtClaims(raised.access_token)).toMatchObject({
      aal: 'aal2',
      session_id: jwtClaims(session.access_token).session_id,
    });
    expect(amrMethods(raised.access_token)).toEqual(['totp', 'password']);
    expect(raised.user.factors).toEqual([expect.objectContaining({ id: made.id, status: 'verified' })]);
    expect(JSON.stringify(raised.user)).not.toContain(made.totp.secret);
    const after = unwrap(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(after).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
    // A refresh keeps the level, and earlier tokens end.
    expect(jwtClaims(unwrap(await client.refreshSession()).session?.access_token ?? '').aal).toBe('aal2');
    const old = await portal.ask('/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    });
    expect(old.status).toBe(400);
    unwrap(await client.getUser());
  });

  test('ends the sessions at aal1', async () => {
    const { who, client } = await portal.signedInUser();
    const other = portal.client();
    const elsewhere = await other.signIn(who.email);
    await addAuthenticator(client);
    const asked = await portal.ask('/user', { token: elsewhere.access_token });
    expect(asked).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
    expect((await other.refreshSession()).error).toBeTruthy();
  });

  test('requires unique names, and no name counts as one', async () => {
    const { client } = await portal.signedInUser();
    for (const friendlyName of ['Phone', undefined]) {
      unwrap(await client.mfa.enroll({ factorType: 'totp', friendlyName }));
      const again = await client.mfa.enroll({ factorType: 'totp', friendlyName });
      expect(errorOf(again)).toEqual(errorWith(422, 'mfa_factor_name_conflict'));
    }
  });

  test('is limited to ten factors', async () => {
    const { client } = await portal.signedInUser();
    for (let n = 1; n <= 10; n += 1)
      unwrap(await client.mfa.enroll({ factorType: 'totp', friendlyName: `App ${n}` }));
    const more = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'App 11' });
    expect(errorOf(more)).toEqual(errorWith(422, 'too_many_enrolled_mfa_factors'));
  });

  test('supports TOTP only', async () => {
    const { client, session } = await portal.signedInUser();
    const phone = await client.mfa.enroll({ factorType: 'phone', phone: '+4712345678' });
    expect(errorOf(phone)).toEqual(errorWith(422, 'mfa_phone_enroll_not_enabled'));
    const enroll = (body: object) => portal.ask('/factors', { body, token: session.access_token });
    expect(await enroll({ factor_type: 'webauthn' })).toMatchObject({
      status: 422,
      body: { code: 'mfa_webauthn_enroll_not_enabled' },
    });
    for (const body of [{}, { factor_type: 'smoke' }]) {
      expect(await enroll(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    expect(await portal.ask('/factors', { body: { factor_type: 'totp' } })).toMatchObject({ status: 401 });
  });
});

describe('MFA sign-in', () => {
  test('starts at aal1 with restricted changes and reaches aal2 after verification', async () => {
    const { who, factorId, secret } = await enrolledUser();
    const client = portal.client();
    const session = await client.signIn(who.email);
    expect(jwtClaims(session.access_token).aal).toBe('aal1');
    const level = unwrap(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(level).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });

    expect(errorOf(await client.mfa.unenroll({ factorId }))).toEqual(errorWith(422, 'insufficient_aal'));
    const more = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Another' });
    expect(errorOf(more)).toEqual(errorWith(403, 'insufficient_aal'));
    for (const change of [
      { password: 'sparrow-copper-window-88', current_password: password },
      { email: 'x@a.cc' },
    ]) {
      expect(errorOf(await client.updateUser(change))).toEqual(errorWith(401, 'insufficient_aal'));
    }
    // Sessions at aal2 stay, and no sign-out is reported for them.
    for (const scope of ['global', 'others'] as const) {
      expect(errorOf(await client.signOut({ scope })), scope).toEqual(errorWith(422, 'insufficient_aal'));
      expect((await client.requireSession()).access_token).toBe(session.access_token);
    }
    const me = await portal.ask(`${portal.portal.url}/rest/v1/me`, { token: session.access_token });
    expect(me.body.mfa).toEqual({
      required: expect.any(Boolean),
      enrolled: true,
      aal: 'aal1',
      due: 'challenge',
    });
    const rest = await portal.ask(`${portal.portal.url}/rest/v1/spvs`, { token: session.access_token });
    expect(rest).toMatchObject({ status: 403, body: { code: 'mfa_required' } });

    unwrap(await client.mfa.challengeAndVerify({ factorId, code: currentCode(secret, 1) }));
    const raised = await client.requireSession();
    expect(jwtClaims(raised.access_token).aal).toBe('aal2');
    const { body } = await portal.ask(`${portal.portal.url}/rest/v1/me`, { token: raised.access_token });
    expect(body.mfa).toMatchObject({ aal: 'aal2', due: null });
    expect(
      (await portal.ask(`${portal.portal.url}/rest/v1/spvs`, { token: raised.access_token })).status,
    ).toBe(200);
    expect(unwrap(await client.mfa.unenroll({ factorId }))).toEqual({ id: factorId });
    expect(unwrap(await client.mfa.listFactors()).all).toEqual([]);
    // The session continues at aal1.
    expect(jwtClaims(unwrap(await client.refreshSession()).session?.access_token ?? '').aal).toBe('aal1');
    await portal.client().signIn(who.email);
  });

  test('accepts each code once', async () => {
    const { who, client, factorId, secret } = await enrolledUser();
    const code = currentCode(secret, 1);
    unwrap(await client.mfa.challengeAndVerify({ factorId, code }));
    const other = portal.client();
    await other.signIn(who.email);
    const again = await other.mfa.challengeAndVerify({ factorId, code });
    expect(errorOf(again)).toEqual(errorWith(422, 'mfa_verification_failed'));
  });
});

describe('invalid MFA verification', () => {
  test('rejects wrong and empty codes and foreign or used challenges', async () => {
    const { client, factorId, secret } = await enrolledUser();
    const code = currentCode(secret, 1);
    const challenge = async () => unwrap(await client.mfa.challenge({ factorId })).id;
    const first = await challenge();
    const verify = (challengeId: string, with_: string) =>
      client.mfa.verify({ factorId, challengeId, code: with_ });
    const wrong = await verify(first, code === '123456' ? '654321' : '123456');
    expect(errorOf(wrong)).toEqual(errorWith(422, 'mfa_verification_failed'));
    expect(wrong.error?.message).toBe('Invalid TOTP code entered');
    expect(errorOf(await verify(first, ''))).toEqual(errorWith(400, 'validation_failed'));
    const unknown = await verify('6a7b1f7e-9f8f-4a59-8f7b-0123456789ab', code);
    expect(errorOf(unknown)).toEqual(errorWith(422, 'mfa_factor_not_found'));
    // From another address.
    const { access_token } = await client.requireSession();
    const path = `/factors/${factorId}/verify`;
    const moved = await portal.ask(path, { body: { challenge_id: first, code }, token: access_token });
    expect(moved).toMatchObject({ status: 422, body: { code: 'mfa_ip_address_mismatch' } });
    unwrap(await verify(first, code));
    expect(errorOf(await verify(first, currentCode(secret, 1)))).toEqual(
      errorWith(422, 'mfa_ip_address_mismatch'),
    );
  });

  test('rejects an expired challenge', async () => {
    const { client, factorId, secret } = await enrolledUser();
    const asked = unwrap(await client.mfa.challenge({ factorId }));
    await portal.portal.expireLinksAndCodes();
    const late = await client.mfa.verify({ factorId, challengeId: asked.id, code: currentCode(secret, 1) });
    expect(errorOf(late)).toEqual(errorWith(422, 'mfa_challenge_expired'));
    // That does not consume it.
    unwrap(await client.mfa.challengeAndVerify({ factorId, code: currentCode(secret, 1) }));
  });

  test('rejects factors of other users and unknown ids', async () => {
    const mine = await enrolledUser();
    const { session } = await portal.signedInUser();
    const ask = (id: string, what: string) =>
      portal.ask(`/factors/${id}${what}`, {
        method: what ? 'POST' : 'DELETE',
        token: session.access_token,
        ...(what === '/verify' && { body: { challenge_id: mine.factorId, code: '123456' } }),
      });
    for (const what of ['/challenge', '/verify', '']) {
      expect(await ask('nonsense', what), what).toMatchObject({
        status: 404,
        body: { code: 'validation_failed' },
      });
      const others = await ask(mine.factorId, what);
      expect(others, what).toMatchObject({ body: { code: 'mfa_factor_not_found' } });
      expect(others.status, what).toBe(what === '/verify' ? 422 : 404);
    }
    expect(unwrap(await mine.client.mfa.listFactors()).totp).toHaveLength(1);
  });
});

describe('recovery codes', () => {
  test('are ten, each valid once, and shown only at creation', async () => {
    const { who, client } = await enrolledUser();
    const codes = client.mfa.recoveryCodes;
    expect(errorOf(await codes.getStatus())).toMatchObject({ code: 'mfa_factor_not_found' });
    const made = unwrap(await codes.generate({ friendlyName: 'Paper' }));
    expect(made).toMatchObject({ type: 'recovery_code', total: 10, friendly_name: 'Paper' });
    expect(new Set(made.codes).size).toBe(10);
    for (const code of made.codes) expect(code).toMatch(/^[a-z0-9]{10,}$/);
    expect(errorOf(await codes.generate())).toEqual(errorWith(422, 'mfa_verified_factor_exists'));
    const status = { id: made.id, type: 'recovery_code', total: 10, remaining: 10 };
    expect(unwrap(await codes.getStatus())).toEqual(status);

    // Lost phone: the code is typed with different case and spacing.
    const lost = portal.client();
    await lost.signIn(who.email);
    const typed = made.codes[3]?.toUpperCase().replace(/(.{4})/g, '$1-') ?? '';
    unwrap(await lost.mfa.recoveryCodes.verify({ code: typed }));
    const { access_token } = await lost.requireSession();
    expect(jwtClaims(access_token).aal).toBe('aal2');
    expect(amrMethods(access_token)).toEqual(['mfa/recovery_code', 'password']);
    expect(lost.events).toContain('MFA_CHALLENGE_VERIFIED');
    expect(unwrap(await lost.mfa.recoveryCodes.getStatus())).toMatchObject({ remaining: 9 });

    const again = portal.client();
    await again.signIn(who.email);
    for (const code of [made.codes[3] ?? '', 'nonsense', '']) {
      const refused = await again.mfa.recoveryCodes.verify({ code });
      expect(refused.error?.code, code).toBe('mfa_verification_failed');
    }
  });

  test('are replaced as a set', async () => {
    const { who, client } = await enrolledUser();
    const old = unwrap(await client.mfa.recoveryCodes.generate());
    const fresh = unwrap(await client.mfa.recoveryCodes.regenerate());
    expect(fresh.codes.filter((code) => old.codes.includes(code))).toEqual([]);
    const other = portal.client();
    await other.signIn(who.email);
    const refused = await other.mfa.recoveryCodes.verify({ code: old.codes[0] ?? '' });
    expect(refused.error?.code).toBe('mfa_verification_failed');
    unwrap(await other.mfa.recoveryCodes.verify({ code: fresh.codes[0] ?? '' }));
    expect(unwrap(await other.mfa.recoveryCodes.unenroll())).toEqual({ id: old.id });
    expect(errorOf(await other.mfa.recoveryCodes.regenerate())).toMatchObject({
      code: 'mfa_factor_not_found',
    });
  });

  test('are never the only factor and unavailable at aal1', async () => {
    const { client } = await portal.signedInUser();
    const alone = await client.mfa.recoveryCodes.generate();
    expect(alone.error?.code).toBe('mfa_recovery_codes_sole_factor');
    const { who, factorId, client: first } = await enrolledUser();
    const made = unwrap(await first.mfa.recoveryCodes.generate());
    const second = portal.client();
    await second.signIn(who.email);
    for (const what of ['regenerate', 'unenroll'] as const) {
      expect((await second.mfa.recoveryCodes[what]()).error?.code, what).toBe('insufficient_aal');
    }
    // They are removed with the last authenticator.
    unwrap(await second.mfa.recoveryCodes.verify({ code: made.codes[0] ?? '' }));
    unwrap(await second.mfa.unenroll({ factorId }));
    expect(unwrap(await second.mfa.listFactors()).all).toEqual([]);
  });
});
