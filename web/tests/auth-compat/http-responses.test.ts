/** HTTP responses: both error shapes, CORS, request bodies and rejected routes. */
import { describe, expect, test } from 'vitest';
import { unwrap, errorWith, startServer, password, errorOf, signJwt } from './support/server';

const site = 'https://app.example.com';
const portal = startServer({ SPV_CORS_ORIGINS: site });

describe('error', () => {
  const wrong = { email: 'nobody@example.com', password };
  const path = '/token?grant_type=password';

  test('has the versioned shape for clients that send the API version', async () => {
    for (const version of ['2024-01-01', '2025-06-30']) {
      const headers = { 'x-supabase-api-version': version };
      const response = await portal.ask(path, { body: wrong, headers, older: true });
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        code: 'invalid_credentials',
        message: 'Invalid login credentials',
        request_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
      expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01');
      expect(response.headers.get('x-sb-error-code')).toBe('invalid_credentials');
    }
  });

  test('has the older shape for other clients', async () => {
    for (const version of [undefined, '2023-12-31', 'nonsense', '']) {
      const headers = version === undefined ? undefined : { 'x-supabase-api-version': version };
      const response = await portal.ask(path, { body: wrong, headers, older: true });
      expect(response.body).toEqual({
        code: 400,
        error_code: 'invalid_credentials',
        msg: 'Invalid login credentials',
        request_id: expect.any(String),
      });
      expect(response.headers.get('x-supabase-api-version')).toBeNull();
      expect(response.headers.get('x-sb-error-code')).toBe('invalid_credentials');
    }
  });

  test('lists weak password reasons in both shapes', async () => {
    const { session } = await portal.signedInUser();
    for (const older of [true, false]) {
      const response = await portal.ask('/user', {
        method: 'PUT',
        token: session.access_token,
        body: { password: 'short', current_password: password },
        older,
      });
      expect(response.status).toBe(422);
      expect(response.body[older ? 'error_code' : 'code']).toBe('weak_password');
      expect(response.body.weak_password).toEqual({ reasons: expect.arrayContaining(['length']) });
    }
  });

  test('is returned for unknown routes too', async () => {
    expect((await portal.ask('/nothing/here')).body.code).toBe('not_found');
    const method = await portal.ask('/token', { method: 'DELETE' });
    expect(method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect((await portal.ask('/nothing/here', { older: true })).body).toMatchObject({
      code: 404,
      msg: expect.any(String),
    });
  });

  test('version header on success is no error', async () => {
    const response = await portal.ask('/health');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-supabase-api-version')).toBeNull();
    expect(response.body).toMatchObject({ name: expect.any(String), version: expect.any(String) });
  });
});

describe('CORS', () => {
  const preflight = (origin: string) =>
    portal.ask('/token', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'apikey,authorization,content-type,x-client-info,x-supabase-api-version',
      },
    });
  const list = (text: string | null) => (text ?? '').toLowerCase().split(/\s*,\s*/);

  test('allows configured origins with all headers the client sends', async () => {
    const { status, headers } = await preflight(site);
    expect([200, 204]).toContain(status);
    expect(headers.get('access-control-allow-origin')).toBe(site);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(list(headers.get('access-control-allow-methods'))).toEqual(
      expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
    );
    expect(list(headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining([
        ...['accept', 'apikey', 'authorization', 'content-type', 'x-client-ip', 'x-client-info'],
        ...['x-jwt-aud', 'x-use-cookie', 'x-supabase-api-version'],
      ]),
    );
  });

  test('exposes the headers the client needs', async () => {
    const response = await portal.ask('/token?grant_type=password', { body: {}, headers: { origin: site } });
    expect(response.headers.get('access-control-allow-origin')).toBe(site);
    expect(list(response.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining(['x-total-count', 'link', 'x-supabase-api-version', 'retry-after']),
    );
  });

  test('gives other origins nothing', async () => {
    for (const origin of ['https://evil.test', 'https://app.example.com.evil.test', 'null']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
      const response = await portal.ask('/settings', { headers: { origin } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('request body', () => {
  test('is rejected when missing or invalid JSON, and unknown fields are ignored', async () => {
    const path = '/token?grant_type=password';
    for (const body of ['', '{', '[]', '"text"']) {
      const response = await portal.ask(path, { method: 'POST', body });
      expect(response, body).toMatchObject({ status: 400, body: { code: 'bad_json' } });
    }
    const { email } = await portal.createUser();
    const more = { something: 1, gotrue_meta_security: { captcha_token: 'x' }, code_challenge: null };
    expect((await portal.ask(path, { body: { email, password, ...more } })).status).toBe(200);
    expect((await portal.ask('/recover', { body: { email: portal.address(), ...more } })).status).toBe(200);
  });

  test('is rejected when too large', async () => {
    const { access_token: token } = (await portal.signedInUser()).session;
    for (const path of ['/recover', '/callback', '/factors/recovery-codes']) {
      const response = await portal.ask(path, { token, body: { email: 'x'.repeat((1 << 20) + 1) } });
      expect(response, path).toMatchObject({ status: 413, body: { code: 'request_entity_too_large' } });
      expect(response.body.request_id, path).toEqual(expect.any(String));
    }
  });
});

describe('path id', () => {
  test('that is not valid UTF-8 returns the usual 404', async () => {
    const { access_token } = (await portal.signedInUser()).session;
    for (const [method, path, token] of [
      ['POST', '/factors/%FF/challenge', access_token],
      ['DELETE', '/factors/%FF', access_token],
      ['DELETE', '/sessions/%FF', access_token],
      ['DELETE', '/user/identities/%FF', access_token],
      ['GET', '/admin/users/%FF', signJwt({ role: 'service_role' })],
    ] as const) {
      const response = await portal.ask(path, { method, token });
      expect(response, path).toMatchObject({ status: 404, body: { code: 'validation_failed' } });
      expect(response.body.request_id, path).toEqual(expect.any(String));
    }
  });
});

describe('request without a session', () => {
  test('is rejected, and an anon key is no session', async () => {
    const routes: [string, string][] = [
      ['GET', '/user'],
      ['PUT', '/user'],
      ['POST', '/logout'],
      ['GET', '/reauthenticate'],
      ['POST', '/factors'],
      ['GET', '/sessions'],
      ['GET', '/user/identities/authorize?provider=google'],
      ['GET', '/admin/users'],
      ['POST', '/invite'],
    ];
    for (const [method, path] of routes) {
      const response = await portal.ask(path, { method, ...(method !== 'GET' && { body: {} }) });
      expect(response, path).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
      expect(response.body.message).toMatch(/Bearer token/);
    }
    const key = await portal.ask('/user', { headers: { apikey: 'anything' } });
    expect(key.body.code).toBe('no_authorization');
  });
});

describe('unsupported feature', () => {
  test('anonymous sign-in and disabled sign-up are rejected', async () => {
    const client = portal.client();
    const signup = await client.signUp({ email: portal.address(), password });
    expect(errorOf(signup)).toEqual(errorWith(422, 'signup_disabled'));
    expect(signup.error?.message).toBe('Signups not allowed for this instance');
    expect(errorOf(await client.signInAnonymously())).toEqual(errorWith(422, 'signup_disabled'));
  });

  test('phone sign-in is rejected', async () => {
    const client = portal.client();
    const phone = '+4712345678';
    expect(errorOf(await client.signInWithPassword({ phone, password }))).toEqual(
      errorWith(422, 'phone_provider_disabled'),
    );
    expect(errorOf(await client.signInWithOtp({ phone }))).toEqual(errorWith(400, 'phone_provider_disabled'));
    const { client: inside } = await portal.signedInUser();
    expect((await inside.updateUser({ phone })).error?.code).toBe('phone_provider_disabled');
  });

  test('web3, ID token and unknown grants are rejected', async () => {
    const client = portal.client();
    const wallet = await client.signInWithWeb3({
      chain: 'solana',
      message: 'hello',
      signature: new Uint8Array(64),
    });
    expect(errorOf(wallet)).toEqual(errorWith(422, 'web3_provider_disabled'));
    expect(wallet.error?.message).toBe('Web3 provider is disabled');
    const token = await client.signInWithIdToken({ provider: 'google', token: 'x' });
    expect(errorOf(token)).toEqual(errorWith(400, 'provider_disabled'));
    expect(token.error?.message).toMatch(/not enabled/);
    for (const path of ['/token', '/token?grant_type=', '/token?grant_type=something']) {
      expect(await portal.ask(path, { body: {} })).toMatchObject({
        status: 400,
        body: { code: 'invalid_credentials' },
      });
    }
  });

  test('SAML is rejected', async () => {
    const sso = await portal.client().signInWithSSO({ providerId: 'nonsense' });
    expect(errorOf(sso)).toEqual(errorWith(404, 'saml_provider_disabled'));
    expect(sso.error?.message).toBe('SAML 2.0 is disabled');
    for (const path of ['/saml/metadata', '/saml/acs']) {
      const response = await portal.ask(path, { method: path.endsWith('acs') ? 'POST' : 'GET' });
      expect(response).toMatchObject({ status: 404, body: { code: 'saml_provider_disabled' } });
    }
  });

  test('unconfigured providers are rejected', async () => {
    for (const provider of ['google', 'azure', 'nonsense', '']) {
      const response = await portal.ask(`/authorize?provider=${provider}`);
      expect(response, provider).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    const { client } = await portal.signedInUser();
    const linking = await client.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } });
    expect(errorOf(linking)).toEqual(errorWith(404, 'manual_linking_disabled'));
    expect(linking.error?.message).toBe('Manual linking is disabled');
    const identity = unwrap(await client.getUserIdentities()).identities[0];
    if (!identity) throw new Error('one was listed');
    expect(errorOf(await client.unlinkIdentity(identity))).toEqual(errorWith(404, 'manual_linking_disabled'));
    const back = await portal.ask('/callback?code=x&state=y');
    expect([302, 303]).toContain(back.status);
    const to = new URL(back.headers.get('location') ?? '');
    expect(to.origin).toBe(new URL(portal.portal.url).origin);
    expect(to.searchParams.get('error_code')).toBe('bad_oauth_state');
  });

  test('OAuth server routes return errors below 500', async () => {
    const { client, session } = await portal.signedInUser();
    const server = await client.oauth.getAuthorizationDetails('x');
    expect(errorOf(server)).toEqual(errorWith(404, 'feature_disabled'));
    expect(server.error?.message).toBe('OAuth server is disabled');
    const answers = [
      await portal.program.admin.oauth.listClients(),
      await portal.program.admin.oauth.createClient({ client_name: 'x', redirect_uris: ['https://a.cc'] }),
    ];
    for (const response of answers) expect(errorOf(response)).toEqual(errorWith(404, 'feature_disabled'));
    const service = signJwt({ role: 'service_role' });
    for (const [path, code] of [
      ['/hooks', 'not_found'],
      ['/oauth/authorize', 'feature_disabled'],
      ['/oauth/token', 'feature_disabled'],
      ['/admin/oauth/clients/x', 'feature_disabled'],
      ['/admin/sso/providers', 'not_found'],
      ['/admin/custom-providers', 'not_found'],
    ] as const) {
      const admin = path.startsWith('/admin/');
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const token = admin ? service : session.access_token;
        const response = await portal.ask(path, { method, token });
        expect(response, `${method} ${path}`).toMatchObject({ status: 404, body: { code } });
      }
      if (!admin) continue;
      const mine = await portal.ask(path, { token: session.access_token });
      expect(mine, path).toMatchObject({ status: 403, body: { code: 'not_admin' } });
    }
  });

  test('is reported as disabled in /settings', async () => {
    const { body } = await portal.ask('/settings');
    expect(body).toMatchObject({
      external: { email: true, phone: false, anonymous_users: false, google: false, azure: false },
      disable_signup: true,
      mailer_autoconfirm: false,
      phone_autoconfirm: false,
      saml_enabled: false,
    });
  });
});

describe('keep-alive', () => {
  test('outlasts the idle timeout of clients', async () => {
    const { client } = await portal.signedInUser();
    unwrap(await client.getUser());
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    unwrap(await client.getUser());
  });
});
