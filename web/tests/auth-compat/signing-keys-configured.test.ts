/** Configured signing keys: the first one signs, all of them verify. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { jwtClaims, unwrap, jwtHeader, startServer, signJwt } from './support/server';

const dir = mkdtempSync(join(tmpdir(), 'spv-keys-'));
const file = join(dir, 'keys.json');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
writeFileSync(file, JSON.stringify({ keys: [{ ...rsa, kid: 'the first' }, ec] }), { mode: 0o600 });
afterAll(() => rmSync(dir, { recursive: true }));

const portal = startServer({ SPV_AUTH_SIGNING_KEYS_FILE: file });

test('RSA key signs, and the client verifies the token locally', async () => {
  const { client, session, who } = await portal.signedInUser();
  expect(jwtHeader(session.access_token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'the first' });
  client.requests.length = 0;
  expect(unwrap(await client.getClaims())?.claims.sub).toBe(who.id);
  expect(client.requests).toEqual(['GET /.well-known/jwks.json']);
  unwrap(await client.getUser());
  unwrap(await client.refreshSession());
});

test('both public keys are published without private parts', async () => {
  const { body } = await portal.ask('/.well-known/jwks.json');
  expect(body.keys).toEqual([
    expect.objectContaining({ kty: 'RSA', alg: 'RS256', kid: 'the first', n: rsa.n, e: rsa.e }),
    expect.objectContaining({ kty: 'EC', alg: 'ES256', x: ec.x, y: ec.y, kid: expect.any(String) }),
  ]);
  expect(JSON.stringify(body)).not.toContain(rsa.d);
  expect(JSON.stringify(body)).not.toContain(ec.d);
});

test('shared secret signs too, and the client verifies with the server', async () => {
  const { client, session, who } = await portal.signedInUser();
  const token = signJwt(jwtClaims(session.access_token));
  client.requests.length = 0;
  expect(unwrap(await client.getClaims(token))?.claims.sub).toBe(who.id);
  expect(client.requests).toEqual(['GET /user']);
});
