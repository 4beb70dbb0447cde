/** Passkeys and WebAuthn factors: every call of the client, in a browser with an authenticator in software. */
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { onLocalhost } from '../../e2e/support/localhost';
import { SoftwareBrowser } from './support/softwareBrowser';
import {
  amrMethods,
  errorOf,
  errorWith,
  jwtClaims,
  password,
  startServer,
  unwrap,
  uuid,
  type Client,
} from './support/server';

const portal = startServer(onLocalhost);
let browser: SoftwareBrowser;

beforeEach(() => {
  browser = new SoftwareBrowser(portal.portal.url);
  browser.install();
});
afterAll(() => vi.unstubAllGlobals());

/** A user with a passkey. */
async function userWithPasskey() {
  const inside = await portal.signedInUser();
  return { ...inside, passkey: unwrap(await inside.client.registerPasskey()) };
}

/** The two steps of a sign-in, with something in between. */
async function signInSlowly(client: Client, meanwhile: () => Promise<void>) {
  const started = unwrap(await client.passkey.startAuthentication());
  const challenge = Buffer.from(started.options.challenge, 'base64url');
  const credential = await navigator.credentials.get({ publicKey: { challenge } });
  await meanwhile();
  const response = (credential as never as { toJSON(): never }).toJSON();
  return client.passkey.verifyAuthentication({ challengeId: started.challenge_id, credential: response });
}

describe('passkeys', () => {
  test('are registered, listed, renamed and removed', async () => {
    const { client, passkey, who } = await userWithPasskey();
    expect(passkey).toMatchObject({ id: expect.stringMatching(uuid), friendly_name: 'Passkey' });
    const { publicKey } = browser.asked as { publicKey: PublicKeyCredentialCreationOptions };
    expect(publicKey.rp.id).toBe('localhost');
    expect(publicKey.user.name).toBe(who.email);
    expect(publicKey.authenticatorSelection).toMatchObject({
      residentKey: 'required',
      userVerification: 'required',
    });
    expect(unwrap(await client.passkey.list())).toEqual([
      expect.objectContaining({ id: passkey.id, friendly_name: 'Passkey' }),
    ]);
    const renamed = await client.passkey.update({ passkeyId: passkey.id, friendlyName: 'Laptop' });
    expect(unwrap(renamed)).toMatchObject({ id: passkey.id, friendly_name: 'Laptop' });
    expect(await client.passkey.delete({ passkeyId: passkey.id })).toEqual({ data: null, error: null });
    expect(unwrap(await client.passkey.list())).toEqual([]);
    const gone = errorWith(404, 'validation_failed');
    expect(errorOf(await client.passkey.delete({ passkeyId: passkey.id }))).toEqual(gone);
    expect(errorOf(await client.passkey.update({ passkeyId: passkey.id, friendlyName: 'x' }))).toEqual(gone);
  });

  test('sign in without a password, also from the suggestions of a field', async () => {
    const { who, client: first, passkey } = await userWithPasskey();
    for (const mediation of [undefined, 'conditional'] as const) {
      const client = portal.client();
      const signedIn = await client.signInWithPasskey({ options: { mediation, captchaToken: 'ignored' } });
      const { session, user } = unwrap(signedIn as never) as {
        session: { access_token: string };
        user: { email: string };
      };
      expect(browser.asked.mediation).toBe(mediation);
      expect(user.email).toBe(who.email);
      expect(client.events).toContain('SIGNED_IN');
      expect(jwtClaims(session.access_token).aal).toBe('aal2');
      expect(amrMethods(session.access_token)).toEqual(['mfa/webauthn', 'passkey']);
      expect(jwtClaims(unwrap(await client.refreshSession()).session?.access_token ?? '').aal).toBe('aal2');
    }
    const [listed] = unwrap(await first.passkey.list());
    expect([listed?.id, typeof listed?.last_used_at]).toEqual([passkey.id, 'string']);
  });

  test('are refused by the codes that the client knows', async () => {
    const { client, who } = await userWithPasskey();
    const visitor = portal.client();
    const expired = await signInSlowly(visitor, () => portal.portal.expireLinksAndCodes());
    expect(errorOf(expired as never)).toEqual(errorWith(400, 'webauthn_challenge_expired'));

    browser.origin = 'https://localhost.example';
    const phished = await visitor.signInWithPasskey();
    expect(errorOf(phished as never)).toEqual(errorWith(400, 'webauthn_verification_failed'));
    browser.origin = portal.portal.url;

    browser.fails = new DOMException('closed', 'NotAllowedError');
    const closed = await visitor.signInWithPasskey();
    expect([closed.data, closed.error?.name]).toEqual([null, 'NotAllowedError']);

    const unknown = await visitor.passkey.verifyAuthentication({
      challengeId: who.id,
      credential: { id: 'x' } as never,
    });
    expect(errorOf(unknown as never)).toEqual(errorWith(400, 'webauthn_challenge_not_found'));
    expect((await portal.client().registerPasskey()).error?.name).toBe('AuthSessionMissingError');

    unwrap(await portal.program.admin.updateUserById(who.id, { ban_duration: '1h' }));
    const banned = await visitor.signInWithPasskey();
    expect(errorOf(banned as never)).toEqual(errorWith(403, 'user_banned'));
    expect((await client.passkey.list()).error).not.toBeNull();
  });

  test('need a recent proof to be added or removed', async () => {
    const { client, passkey } = await userWithPasskey();
    await portal.portal.expireReauthentication();
    const needed = errorWith(400, 'reauthentication_needed');
    expect(errorOf((await client.registerPasskey()) as never)).toEqual(needed);
    expect(errorOf(await client.passkey.delete({ passkeyId: passkey.id }))).toEqual(needed);
  });

  test('are listed and removed by a service token', async () => {
    const { who, passkey } = await userWithPasskey();
    const { admin } = portal.program;
    const listed = unwrap(await admin.passkey.listPasskeys({ userId: who.id }));
    expect(listed).toEqual([expect.objectContaining({ id: passkey.id })]);
    const removed = await admin.passkey.deletePasskey({ userId: who.id, passkeyId: passkey.id });
    expect(removed).toEqual({ data: null, error: null });
    expect(unwrap(await admin.passkey.listPasskeys({ userId: who.id }))).toEqual([]);
  });
});

describe('WebAuthn factors', () => {
  test('are registered, verified after the password and removed', async () => {
    const { who, client } = await portal.signedInUser();
    const made = unwrap((await client.mfa.webauthn.register({ friendlyName: 'Key' })) as never) as {
      access_token: string;
    };
    expect(jwtClaims(made.access_token).aal).toBe('aal2');
    expect(amrMethods(made.access_token)).toEqual(['mfa/webauthn', 'password']);
    expect(client.events).toContain('MFA_CHALLENGE_VERIFIED');

    const next = portal.client();
    unwrap(await next.signInWithPassword({ email: who.email, password }));
    expect(unwrap(await next.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
    const { webauthn } = unwrap(await next.mfa.listFactors());
    expect(webauthn).toEqual([
      expect.objectContaining({ friendly_name: 'Key', factor_type: 'webauthn', status: 'verified' }),
    ]);
    const factorId = webauthn[0]?.id ?? '';
    unwrap((await next.mfa.webauthn.authenticate({ factorId })) as never);
    const { publicKey } = browser.asked as { publicKey: PublicKeyCredentialRequestOptions };
    expect([publicKey.rpId, publicKey.userVerification]).toEqual(['localhost', 'required']);
    expect(unwrap(await next.mfa.getAuthenticatorAssuranceLevel()).currentLevel).toBe('aal2');
    expect(unwrap(await next.mfa.unenroll({ factorId }))).toEqual({ id: factorId });
    expect(unwrap(await next.mfa.listFactors()).webauthn).toEqual([]);
  });

  test('are refused as other factors are', async () => {
    const { client } = await portal.signedInUser();
    unwrap((await client.mfa.webauthn.register({ friendlyName: 'Key' })) as never);
    const taken = await client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key' });
    expect(errorOf(taken)).toEqual(errorWith(422, 'mfa_factor_name_conflict'));
    const factorId = unwrap(await client.mfa.listFactors()).webauthn[0]?.id ?? '';
    browser.origin = 'https://localhost.example';
    const phished = await client.mfa.webauthn.authenticate({ factorId });
    expect(errorOf(phished as never)).toEqual(errorWith(422, 'mfa_verification_failed'));

    // A closed dialog leaves an unverified factor, which the next attempt of the client removes.
    browser.origin = portal.portal.url;
    browser.fails = new DOMException('closed', 'NotAllowedError');
    const closed = await client.mfa.webauthn.register({ friendlyName: 'Second' });
    expect(closed.error?.name).toBe('NotAllowedError');
    const again = await client.mfa.webauthn.register({ friendlyName: 'Second' });
    expect(errorOf(again as never)).toEqual(errorWith(422, 'mfa_factor_name_conflict'));
    unwrap((await client.mfa.webauthn.register({ friendlyName: 'Second' })) as never);
    expect(unwrap(await client.mfa.listFactors()).webauthn).toHaveLength(2);
  });
});
