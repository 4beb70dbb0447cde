/** Second factors: authenticator apps, whose codes are computed here, and recovery codes. */
import { describe, expect, test } from 'vitest';
import {
  claims,
  got,
  methods,
  no,
  office,
  password,
  refusal,
  shown,
  uuid,
  type Client,
} from './support/server';

const portal = office();

/** Adds an authenticator and shows its first code. */
async function adds(client: Client, friendlyName = 'Phone') {
  const { id, totp: app } = got(await client.mfa.enroll({ factorType: 'totp', friendlyName }));
  got(await client.mfa.challengeAndVerify({ factorId: id, code: shown(app.secret) }));
  return { factorId: id, secret: app.secret };
}

/** Somebody with an authenticator, in a session that has shown it. */
async function enrolled() {
  const inside = await portal.inside();
  return { ...inside, ...(await adds(inside.client)) };
}

describe('adding an authenticator', () => {
  test('shows what an app needs, and counts once its code was shown', async () => {
    const { who, client, session } = await portal.inside();
    const made = got(
      await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Harbor' }),
    );
    expect(made).toMatchObject({ id: expect.stringMatching(uuid), type: 'totp', friendly_name: 'Phone' });
    expect(made.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
    const uri = new URL(made.totp.uri);
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe(`/Harbor:${who.email}`);
    expect(uri.searchParams.get('secret')).toBe(made.totp.secret);
    expect(uri.searchParams.get('issuer')).toBe('Harbor');

    // Until then it is nothing that a session has to show.
    const before = got(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
    const waiting = got(await client.mfa.listFactors());
    expect(waiting.totp).toEqual([]);
    expect(waiting.all).toEqual([expect.objectContaining({ id: made.id, status: 'unverified' })]);

    const challenge = got(await client.mfa.challenge({ factorId: made.id }));
    expect(challenge).toMatchObject({ id: expect.stringMatching(uuid), type: 'totp' });
    expect(Math.abs(challenge.expires_at - Date.now() / 1000 - 300)).toBeLessThan(30);
    const code = shown(made.totp.secret);
    const raised = got(await client.mfa.verify({ factorId: made.id, challengeId: challenge.id, code }));
    expect(client.events).toContain('MFA_CHALLENGE_VERIFIED');
    expect(claims(raised.access_token)).toMatchObject({
      aal: 'aal2',
      session_id: claims(session.access_token).session_id,
    });
    expect(methods(raised.access_token)).toEqual(['totp', 'password']);
    expect(raised.user.factors).toEqual([expect.objectContaining({ id: made.id, status: 'verified' })]);
    expect(JSON.stringify(raised.user)).not.toContain(made.totp.secret);
    const after = got(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(after).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
    // A refresh keeps the level, and what was before it goes nowhere.
    expect(claims(got(await client.refreshSession()).session?.access_token ?? '').aal).toBe('aal2');
    const old = await portal.ask('/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    });
    expect(old.status).toBe(400);
    got(await client.getUser());
  });

  test('ends the sessions that have shown none', async () => {
    const { who, client } = await portal.inside();
    const other = portal.client();
    const elsewhere = await other.enters(who.email);
    await adds(client);
    const asked = await portal.ask('/user', { token: elsewhere.access_token });
    expect(asked).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
    expect((await other.refreshSession()).error).toBeTruthy();
  });

  test('gives each a name of its own, and no name is one too', async () => {
    const { client } = await portal.inside();
    for (const friendlyName of ['Phone', undefined]) {
      got(await client.mfa.enroll({ factorType: 'totp', friendlyName }));
      const again = await client.mfa.enroll({ factorType: 'totp', friendlyName });
      expect(refusal(again)).toEqual(no(422, 'mfa_factor_name_conflict'));
    }
  });

  test('ends at ten', async () => {
    const { client } = await portal.inside();
    for (let n = 1; n <= 10; n += 1)
      got(await client.mfa.enroll({ factorType: 'totp', friendlyName: `App ${n}` }));
    const more = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'App 11' });
    expect(refusal(more)).toEqual(no(422, 'too_many_enrolled_mfa_factors'));
  });

  test('is for apps only', async () => {
    const { client, session } = await portal.inside();
    const phone = await client.mfa.enroll({ factorType: 'phone', phone: '+4712345678' });
    expect(refusal(phone)).toEqual(no(422, 'mfa_phone_enroll_not_enabled'));
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

describe('the second sign-in', () => {
  test('is at aal1, may change nothing that matters, and is at aal2 once the code is shown', async () => {
    const { who, factorId, secret } = await enrolled();
    const client = portal.client();
    const session = await client.enters(who.email);
    expect(claims(session.access_token).aal).toBe('aal1');
    const level = got(await client.mfa.getAuthenticatorAssuranceLevel());
    expect(level).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });

    expect(refusal(await client.mfa.unenroll({ factorId }))).toEqual(no(422, 'insufficient_aal'));
    const more = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Another' });
    expect(refusal(more)).toEqual(no(403, 'insufficient_aal'));
    for (const change of [
      { password: 'sparrow-copper-window-88', current_password: password },
      { email: 'x@a.cc' },
    ]) {
      expect(refusal(await client.updateUser(change))).toEqual(no(401, 'insufficient_aal'));
    }
    // Nobody is told that sessions ended which did not.
    for (const scope of ['global', 'others'] as const) {
      expect(refusal(await client.signOut({ scope })), scope).toEqual(no(422, 'insufficient_aal'));
      expect((await client.there()).access_token).toBe(session.access_token);
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

    got(await client.mfa.challengeAndVerify({ factorId, code: shown(secret, 1) }));
    const raised = await client.there();
    expect(claims(raised.access_token).aal).toBe('aal2');
    const { body } = await portal.ask(`${portal.portal.url}/rest/v1/me`, { token: raised.access_token });
    expect(body.mfa).toMatchObject({ aal: 'aal2', due: null });
    expect(
      (await portal.ask(`${portal.portal.url}/rest/v1/spvs`, { token: raised.access_token })).status,
    ).toBe(200);
    expect(got(await client.mfa.unenroll({ factorId }))).toEqual({ id: factorId });
    expect(got(await client.mfa.listFactors()).all).toEqual([]);
    // The session goes on, one level lower.
    expect(claims(got(await client.refreshSession()).session?.access_token ?? '').aal).toBe('aal1');
    await portal.client().enters(who.email);
  });

  test('takes each code once', async () => {
    const { who, client, factorId, secret } = await enrolled();
    const code = shown(secret, 1);
    got(await client.mfa.challengeAndVerify({ factorId, code }));
    const other = portal.client();
    await other.enters(who.email);
    const again = await other.mfa.challengeAndVerify({ factorId, code });
    expect(refusal(again)).toEqual(no(422, 'mfa_verification_failed'));
  });
});

describe('what is no proof', () => {
  test('a wrong code, an empty one, another challenge, a used one', async () => {
    const { client, factorId, secret } = await enrolled();
    const code = shown(secret, 1);
    const challenge = async () => got(await client.mfa.challenge({ factorId })).id;
    const first = await challenge();
    const verify = (challengeId: string, with_: string) =>
      client.mfa.verify({ factorId, challengeId, code: with_ });
    const wrong = await verify(first, code === '123456' ? '654321' : '123456');
    expect(refusal(wrong)).toEqual(no(422, 'mfa_verification_failed'));
    expect(wrong.error?.message).toBe('Invalid TOTP code entered');
    expect(refusal(await verify(first, ''))).toEqual(no(400, 'validation_failed'));
    const unknown = await verify('6a7b1f7e-9f8f-4a59-8f7b-0123456789ab', code);
    expect(refusal(unknown)).toEqual(no(422, 'mfa_factor_not_found'));
    // From somewhere else.
    const { access_token } = await client.there();
    const path = `/factors/${factorId}/verify`;
    const moved = await portal.ask(path, { body: { challenge_id: first, code }, token: access_token });
    expect(moved).toMatchObject({ status: 422, body: { code: 'mfa_ip_address_mismatch' } });
    got(await verify(first, code));
    expect(refusal(await verify(first, shown(secret, 1)))).toEqual(no(422, 'mfa_ip_address_mismatch'));
  });

  test('a code that was asked for too long ago', async () => {
    const { client, factorId, secret } = await enrolled();
    const asked = got(await client.mfa.challenge({ factorId }));
    await portal.portal.timeIsUp();
    const late = await client.mfa.verify({ factorId, challengeId: asked.id, code: shown(secret, 1) });
    expect(refusal(late)).toEqual(no(422, 'mfa_challenge_expired'));
    // It is not used up by that.
    got(await client.mfa.challengeAndVerify({ factorId, code: shown(secret, 1) }));
  });

  test('another’s authenticator, and what is none', async () => {
    const mine = await enrolled();
    const { session } = await portal.inside();
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
    expect(got(await mine.client.mfa.listFactors()).totp).toHaveLength(1);
  });
});

describe('recovery codes', () => {
  test('are ten, each good once, and shown only when they are made', async () => {
    const { who, client } = await enrolled();
    const codes = client.mfa.recoveryCodes;
    expect(refusal(await codes.getStatus())).toMatchObject({ code: 'mfa_factor_not_found' });
    const made = got(await codes.generate({ friendlyName: 'Paper' }));
    expect(made).toMatchObject({ type: 'recovery_code', total: 10, friendly_name: 'Paper' });
    expect(new Set(made.codes).size).toBe(10);
    for (const code of made.codes) expect(code).toMatch(/^[a-z0-9]{10,}$/);
    expect(refusal(await codes.generate())).toEqual(no(422, 'mfa_verified_factor_exists'));
    const status = { id: made.id, type: 'recovery_code', total: 10, remaining: 10 };
    expect(got(await codes.getStatus())).toEqual(status);

    // The day the telephone is lost, typed as people type.
    const lost = portal.client();
    await lost.enters(who.email);
    const typed = made.codes[3]?.toUpperCase().replace(/(.{4})/g, '$1-') ?? '';
    got(await lost.mfa.recoveryCodes.verify({ code: typed }));
    const { access_token } = await lost.there();
    expect(claims(access_token).aal).toBe('aal2');
    expect(methods(access_token)).toEqual(['mfa/recovery_code', 'password']);
    expect(lost.events).toContain('MFA_CHALLENGE_VERIFIED');
    expect(got(await lost.mfa.recoveryCodes.getStatus())).toMatchObject({ remaining: 9 });

    const again = portal.client();
    await again.enters(who.email);
    for (const code of [made.codes[3] ?? '', 'nonsense', '']) {
      const refused = await again.mfa.recoveryCodes.verify({ code });
      expect(refused.error?.code, code).toBe('mfa_verification_failed');
    }
  });

  test('are made anew, and the old ones are worth nothing then', async () => {
    const { who, client } = await enrolled();
    const old = got(await client.mfa.recoveryCodes.generate());
    const fresh = got(await client.mfa.recoveryCodes.regenerate());
    expect(fresh.codes.filter((code) => old.codes.includes(code))).toEqual([]);
    const other = portal.client();
    await other.enters(who.email);
    const refused = await other.mfa.recoveryCodes.verify({ code: old.codes[0] ?? '' });
    expect(refused.error?.code).toBe('mfa_verification_failed');
    got(await other.mfa.recoveryCodes.verify({ code: fresh.codes[0] ?? '' }));
    expect(got(await other.mfa.recoveryCodes.unenroll())).toEqual({ id: old.id });
    expect(refusal(await other.mfa.recoveryCodes.regenerate())).toMatchObject({
      code: 'mfa_factor_not_found',
    });
  });

  test('are never the only factor, and nothing at aal1', async () => {
    const { client } = await portal.inside();
    const alone = await client.mfa.recoveryCodes.generate();
    expect(alone.error?.code).toBe('mfa_recovery_codes_sole_factor');
    const { who, factorId, client: first } = await enrolled();
    const made = got(await first.mfa.recoveryCodes.generate());
    const second = portal.client();
    await second.enters(who.email);
    for (const what of ['regenerate', 'unenroll'] as const) {
      expect((await second.mfa.recoveryCodes[what]()).error?.code, what).toBe('insufficient_aal');
    }
    // With the last authenticator they go too.
    got(await second.mfa.recoveryCodes.verify({ code: made.codes[0] ?? '' }));
    got(await second.mfa.unenroll({ factorId }));
    expect(got(await second.mfa.listFactors()).all).toEqual([]);
  });
});
