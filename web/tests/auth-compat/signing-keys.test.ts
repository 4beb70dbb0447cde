/** Access tokens verified locally with published keys (JWKS), and key rotation. */
import { describe, expect, test } from 'vitest';
import { jwtClaims, unwrap, jwtHeader, startServer, currentCode, signJwt } from './support/server';

const portal = startServer();

async function published() {
  const response = await portal.ask('/.well-known/jwks.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  return response.body.keys as Record<string, unknown>[];
}

describe('access token', () => {
  test('is verified by the client with the published key', async () => {
    const { client, session, who } = await portal.signedInUser();
    const { kid, alg, typ } = jwtHeader(session.access_token);
    expect([alg, typ]).toEqual(['ES256', 'JWT']);
    expect(await published()).toContainEqual(
      expect.objectContaining({ kid, alg: 'ES256', kty: 'EC', crv: 'P-256', x: expect.any(String) }),
    );
    client.requests.length = 0;
    const said = unwrap(await client.getClaims());
    expect(said?.claims).toMatchObject({ sub: who.id, aal: 'aal1', role: 'authenticated' });
    expect(client.requests).toEqual(['GET /.well-known/jwks.json']);
    unwrap(await client.getClaims());
    expect(client.requests).toHaveLength(1);
  });

  test('is rejected after tampering', async () => {
    const { client, session } = await portal.signedInUser();
    const [head, , signature] = session.access_token.split('.');
    const body = Buffer.from(JSON.stringify({ ...jwtClaims(session.access_token), role: 'service_role' }));
    const forged = [head, body.toString('base64url'), signature].join('.');
    const { error } = await client.getClaims(forged);
    expect(error).toMatchObject({ name: 'AuthInvalidJwtError', code: 'invalid_jwt' });
    for (const path of ['/user', '/admin/users']) {
      expect(await portal.ask(path, { token: forged })).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      });
    }
  });
});

describe('published keys', () => {
  test('contain no private parts', async () => {
    const keys = await published();
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      for (const secret of ['d', 'k', 'p', 'q']) expect(key).not.toHaveProperty(secret);
      expect(key.kty).not.toBe('oct');
      expect(key.kid).toBeTruthy();
    }
  });
});

describe('invalid access token', () => {
  const cases: [string, () => Promise<string> | string, number, string][] = [
    ['nonsense', () => 'nonsense', 403, 'bad_jwt'],
    ['wrong secret', () => signJwt({ sub: crypto.randomUUID(), role: 'authenticated' }, 'x'), 403, 'bad_jwt'],
    ['no subject', () => signJwt({ role: 'authenticated', exp: 4e9 }), 403, 'bad_jwt'],
    [
      'subject is no account id',
      () => signJwt({ sub: 'me', role: 'authenticated', exp: 4e9 }),
      400,
      'bad_jwt',
    ],
    [
      'expired',
      async () => {
        const { session } = await portal.signedInUser();
        return signJwt({ ...jwtClaims(session.access_token), exp: 1 });
      },
      403,
      'bad_jwt',
    ],
    [
      'unknown session',
      async () => {
        const { session } = await portal.signedInUser();
        return signJwt({ ...jwtClaims(session.access_token), session_id: crypto.randomUUID() });
      },
      403,
      'session_not_found',
    ],
    [
      'unsigned (alg none)',
      async () => {
        const { session } = await portal.signedInUser();
        const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
        return `${none}.${session.access_token.split('.')[1] ?? ''}.`;
      },
      403,
      'bad_jwt',
    ],
    [
      'wrong audience',
      async () => {
        const { session } = await portal.signedInUser();
        return signJwt({ ...jwtClaims(session.access_token), aud: 'others' });
      },
      400,
      'validation_failed',
    ],
    ['anon role', () => signJwt({ role: 'anon' }), 403, 'bad_jwt'],
  ];
  test.each(cases)('is rejected: %s', async (_, token, status, code) => {
    const response = await portal.ask('/user', { token: await token() });
    expect(response).toMatchObject({ status, body: { code } });
    if (status === 403 && code === 'bad_jwt') expect(response.body.message).toMatch(/^invalid JWT/);
  });

  test('has error messages that the client compares', async () => {
    const { error } = await portal.client().getUser('nonsense.nonsense.nonsense');
    expect(error?.message).toMatch(/^invalid JWT.*unable to parse or verify signature/);
  });
});

describe('rotated key', () => {
  test('signs new tokens and ends no session', async () => {
    const { client, session, who } = await portal.signedInUser();
    const { id, totp } = unwrap(await client.mfa.enroll({ factorType: 'totp' }));
    unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret) }));
    const old = await client.requireSession();
    await portal.portal.operator('key', 'rotate');
    // A running server reloads the key.
    const kids = async () => (await published()).map(({ kid }) => kid);
    const { kid } = jwtHeader(old.access_token);
    await expect.poll(kids, { timeout: 15_000 }).toEqual([expect.not.stringMatching(String(kid)), kid]);

    unwrap(await client.getUser());
    expect(unwrap(await client.getClaims(old.access_token))?.claims.sub).toBe(who.id);
    const { session: next } = unwrap(await client.refreshSession());
    expect(jwtHeader(next?.access_token ?? '').kid).toBe((await kids())[0]);
    expect(unwrap(await client.getClaims())?.claims.session_id).toBe(
      jwtClaims(session.access_token).session_id,
    );
    expect(client.events).not.toContain('SIGNED_OUT');
    // The authenticator still works.
    const other = portal.client();
    await other.signIn(who.email);
    unwrap(await other.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret, 1) }));
  });
});
