/** PKCE flows: started in one browser, continued by mail, finished in the same browser. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EXTERNAL_URL, unwrap, errorWith, startServer, errorOf } from './support/server';

const portal = startServer();

/** A callback code and its client. */
async function callbackCode() {
  const { email } = await portal.createUser();
  const client = portal.client({ flowType: 'pkce' });
  unwrap(await client.signInWithOtp({ email, options: { emailRedirectTo: EXTERNAL_URL } }));
  const back = await portal.followLink(await portal.mail(email));
  return { email, client, code: back.searchParams.get('code') ?? '' };
}

/** Redirect target of the form on the link page. */
async function form(fields: Record<string, string>): Promise<URL> {
  const response = await fetch(`${portal.url}/verify`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { 'x-forwarded-for': '198.19.0.1' },
  });
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

const exchange = (auth_code: string, code_verifier: string) =>
  portal.ask('/token?grant_type=pkce', { body: { auth_code, code_verifier } });

describe('PKCE code', () => {
  test('opens the session in the requesting client once', async () => {
    const { email, client, code } = await callbackCode();
    const { session } = unwrap(await client.exchangeCodeForSession(code));
    expect(session.user.email).toBe(email);
    expect(client.events).toContain('SIGNED_IN');
    unwrap(await client.getUser());
    const again = await exchange(code, randomBytes(56).toString('hex'));
    expect(again).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
  });

  test('is rejected in a client without a verifier', async () => {
    const { code, client } = await callbackCode();
    const stranger = portal.client({ flowType: 'pkce' });
    expect((await stranger.exchangeCodeForSession(code)).error?.name).toBe(
      'AuthPKCECodeVerifierMissingError',
    );
    // Nor for another flow; the right one still works.
    const other = await portal.createUser();
    unwrap(await stranger.signInWithOtp({ email: other.email }));
    expect(errorOf(await stranger.exchangeCodeForSession(code))).toEqual(errorWith(400, 'bad_code_verifier'));
    unwrap(await client.exchangeCodeForSession(code));
  });

  test('with a wrong verifier is rejected and stays valid for the right one', async () => {
    const { code, client, email } = await callbackCode();
    const words = 'code challenge does not match previously saved code verifier';
    const stranger = portal.client({ flowType: 'pkce' });
    unwrap(await stranger.signInWithOtp({ email: (await portal.createUser()).email }));
    const { data, error } = await stranger.exchangeCodeForSession(code);
    expect(error).toMatchObject({
      name: 'AuthApiError',
      ...errorWith(400, 'bad_code_verifier'),
      message: words,
    });
    expect(data).toMatchObject({ session: null, user: null });
    expect(await stranger.session()).toBeNull();
    expect(stranger.events).not.toContain('SIGNED_IN');
    for (const verifier of ['x'.repeat(64), randomBytes(56).toString('hex')]) {
      expect(await exchange(code, verifier)).toMatchObject({
        status: 400,
        body: { code: 'bad_code_verifier', message: words },
      });
    }
    const { session } = unwrap(await client.exchangeCodeForSession(code));
    expect(session.user.email).toBe(email);
  });

  test('requires code and verifier, both valid', async () => {
    for (const [code, verifier] of [
      ['', 'x'],
      ['x', ''],
      ['', ''],
    ] as const) {
      expect(await exchange(code, verifier)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
    for (const code of ['nothing', '6a7b1f7e-9f8f-4a59-8f7b-0123456789ab']) {
      const response = await exchange(code, 'x'.repeat(64));
      expect(response).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
    }
  });
});

describe('expired flow', () => {
  test('rejects its code', async () => {
    const { client, code } = await callbackCode();
    await portal.portal.expireLinksAndCodes();
    expect(errorOf(await client.exchangeCodeForSession(code))).toEqual(errorWith(422, 'flow_state_expired'));
    expect(await client.session()).toBeNull();
  });

  test('rejects its link without a code', async () => {
    const { email } = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    unwrap(await client.resetPasswordForEmail(email, { redirectTo: EXTERNAL_URL }));
    const mail = await portal.mail(email);
    await portal.portal.expireLinksAndCodes();
    const token_hash = /token_hash=([^&\s]+)/.exec(mail.text)?.[1] ?? '';
    const back = await form({ token_hash, type: 'recovery', redirect_to: EXTERNAL_URL });
    expect(back.searchParams.get('error_code')).toBe('otp_expired');
    expect(back.searchParams.get('code')).toBeNull();
    const late = await client.verifyOtp({ token_hash, type: 'recovery' });
    expect(errorOf(late)).toEqual(errorWith(403, 'otp_expired'));
  });
});

describe('code challenge', () => {
  const challenge = createHash('sha256').update('secret').digest('base64url');
  const begin = async (code_challenge: unknown, code_challenge_method: unknown) =>
    portal.ask('/recover', { body: { email: portal.address(), code_challenge, code_challenge_method } });

  test('needs challenge and method, in any letter case, or neither', async () => {
    for (const [first, second] of [
      [challenge, 's256'],
      [challenge, 'S256'],
      [challenge, 'plain'],
      [null, null],
      ['', ''],
      [undefined, undefined],
    ]) {
      expect((await begin(first, second)).status, String(second)).toBe(200);
    }
    for (const [first, second] of [
      [challenge, null],
      [null, 's256'],
      [challenge, 'md5'],
      [challenge.slice(1), 's256'],
      ['x'.repeat(129), 's256'],
      [`${challenge}=`, 's256'],
      [`${challenge} `.padEnd(50, '+'), 's256'],
    ]) {
      const response = await begin(first, second);
      expect(response, String(first)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });

  test('accepts the plain method', async () => {
    const { email } = await portal.createUser();
    const verifier = randomBytes(48).toString('hex');
    const body = { email, code_challenge: verifier, code_challenge_method: 'plain' };
    await portal.ask(`/recover?redirect_to=${encodeURIComponent(EXTERNAL_URL)}`, { body });
    const back = await portal.followLink(await portal.mail(email));
    const code = back.searchParams.get('code') ?? '';
    expect((await exchange(code, `${verifier}x`)).body.code).toBe('bad_code_verifier');
    expect(await exchange(code, verifier)).toMatchObject({ status: 200, body: { user: { email } } });
  });
});

describe('late click', () => {
  test('redirects back with the error in query and fragment', async () => {
    const { client, email } = await (async () => {
      const { email } = await portal.createUser();
      return { email, client: portal.client({ flowType: 'pkce' }) };
    })();
    unwrap(await client.signInWithOtp({ email, options: { emailRedirectTo: EXTERNAL_URL } }));
    const mail = await portal.mail(email);
    const token_hash = /token_hash=([^&\s]+)/.exec(mail.text)?.[1] ?? '';
    const fields = { token_hash, type: 'magiclink', redirect_to: EXTERNAL_URL };
    const back = await form(fields);
    unwrap(await client.exchangeCodeForSession(back.searchParams.get('code') ?? ''));

    const late = await form(fields);
    expect(late.origin + late.pathname).toBe(EXTERNAL_URL);
    for (const said of [new URLSearchParams(late.hash.slice(1)), late.searchParams]) {
      expect(Object.fromEntries(said)).toMatchObject({ error: 'access_denied', error_code: 'otp_expired' });
      expect(said.get('error_description')).toBeTruthy();
    }
  });
});
