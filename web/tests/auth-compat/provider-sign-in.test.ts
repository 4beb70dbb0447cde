/** Provider sign-in with a real OpenID provider on loopback. */
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../e2e/support/process';
import {
  EXTERNAL_URL,
  unwrap,
  amrMethods,
  errorWith,
  startServer,
  errorOf,
  currentCode,
  type Client,
} from './support/server';
import { Provider, type ProviderAction } from './support/oidcProvider';

let provider: Provider;
const portal = startServer(async () => {
  const port = await freePort();
  provider = await Provider.start(`http://127.0.0.1:${port}/auth/v1/callback`);
  const domains = { SPV_OIDC_GOOGLE_DOMAINS: 'acme.example' };
  return { SPV_LISTEN: `127.0.0.1:${port}`, ...provider.settings, ...domains };
});
afterAll(() => provider.stop());

const options = { redirectTo: EXTERNAL_URL, skipBrowserRedirect: true };
const visit = (address: string | null | undefined, doing: ProviderAction) =>
  provider.visit(address ?? '', portal.portal.url, doing);
const code = (back: URL) => back.searchParams.get('code') ?? '';

async function signInWithProvider(
  client: Client,
  doing: ProviderAction,
  name: 'google' | 'azure' = 'google',
): Promise<URL> {
  const { url } = unwrap(await client.signInWithOAuth({ provider: name, options }));
  return visit(url, doing);
}

describe('user with an account', () => {
  test('signs in, and the identity is linked', async () => {
    const { email, id } = await portal.createUser();
    for (const name of ['google', 'azure'] as const) {
      const client = portal.client({ flowType: 'pkce' });
      const back = await signInWithProvider(client, { email }, name);
      expect(back.origin + back.pathname).toBe(EXTERNAL_URL);
      const { session } = unwrap(await client.exchangeCodeForSession(code(back)));
      expect(session.user.id).toBe(id);
      expect(client.events).toContain('SIGNED_IN');
      const said = unwrap(await client.getClaims())?.claims;
      expect(said).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth', provider: name }] });
    }
    const { user } = await portal.client().signIn(email);
    expect(user.identities?.map((identity) => identity.provider)).toEqual(['email', 'google', 'azure']);
    expect(user.app_metadata.providers).toEqual(['email', 'google', 'azure']);
  });

  test('without a code challenge receives the session directly', async () => {
    const { email } = await portal.createUser();
    const client = portal.client();
    const back = await signInWithProvider(client, { email });
    const brought = new URLSearchParams(back.hash.slice(1));
    const [access_token, refresh_token] = [
      brought.get('access_token') ?? '',
      brought.get('refresh_token') ?? '',
    ];
    expect(unwrap(await client.setSession({ access_token, refresh_token })).user?.email).toBe(email);
    expect(await provider.emailOfToken(brought.get('provider_token'))).toBe(email);
    expect(brought.get('provider_refresh_token')).toBeTruthy();
  });

  test('receives the provider tokens until the first refresh', async () => {
    for (const name of ['google', 'azure'] as const) {
      const { email } = await portal.createUser();
      const client = portal.client({ flowType: 'pkce' });
      unwrap(await client.exchangeCodeForSession(code(await signInWithProvider(client, { email }, name))));
      const session = await client.requireSession();
      expect(await provider.emailOfToken(session.provider_token)).toBe(email);
      // The test provider returns a refresh token only as Google.
      expect(Boolean(session.provider_refresh_token)).toBe(name === 'google');
      unwrap(await client.refreshSession());
      const next = await client.requireSession();
      expect(next).not.toHaveProperty('provider_token');
      expect(next).not.toHaveProperty('provider_refresh_token');
      expect(portal.portal.logged).not.toContain(session.provider_token);
    }
  });

  test('is signed in once per callback', async () => {
    const { email } = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    const back = await signInWithProvider(client, { email });
    unwrap(await client.exchangeCodeForSession(code(back)));
    const again = await visit(provider.callback, { email });
    expect(again.origin).toBe(portal.portal.url);
    expect(['flow_state_already_used', 'bad_oauth_state']).toContain(again.searchParams.get('error_code'));
    const body = { auth_code: code(back), code_verifier: 'x'.repeat(64) };
    expect(await portal.ask('/token?grant_type=pkce', { body })).toMatchObject({
      status: 404,
      body: { code: 'flow_state_not_found' },
    });
  });

  test('can sign in by company domain (SSO)', async () => {
    const { email } = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    const { url } = unwrap(
      await client.signInWithSSO({ domain: 'acme.example', options: { redirectTo: EXTERNAL_URL } }),
    );
    unwrap(await client.exchangeCodeForSession(code(await visit(url, { email }))));
    expect((await client.requireSession()).user.email).toBe(email);
    const nowhere = await client.signInWithSSO({ domain: 'nowhere.example' });
    expect(errorOf(nowhere)).toEqual(errorWith(404, 'sso_provider_not_found'));
  });
});

describe('rejected provider sign-in', () => {
  const denied: [string, (email: string) => ProviderAction, string][] = [
    ['an unknown user, and requests an account', () => ({ email: portal.address() }), 'account_requested'],
    ['denied consent', () => ({ refuses: true }), 'access_denied'],
    ['an unverified email', (email) => ({ email, unverified: true }), 'provider_email_needs_verification'],
  ];
  test.each(denied)('returns an error for %s', async (_, doing, error_code) => {
    const { email } = await portal.createUser();
    const back = await signInWithProvider(portal.client({ flowType: 'pkce' }), doing(email));
    expect(back.origin + back.pathname).toBe(EXTERNAL_URL);
    for (const said of [back.searchParams, new URLSearchParams(back.hash.slice(1))]) {
      expect(Object.fromEntries(said)).toEqual({
        error: 'access_denied',
        error_code,
        error_description: expect.any(String),
      });
    }
  });

  test('suspended account', async () => {
    const { id, email } = await portal.createUser();
    unwrap(await portal.program.admin.updateUserById(id, { ban_duration: '1h' }));
    const back = await signInWithProvider(portal.client({ flowType: 'pkce' }), { email });
    expect(back.searchParams.get('error_code')).toBe('user_banned');
  });
});

describe('identities', () => {
  test('can be linked and unlinked by their owner', async () => {
    const { email } = await portal.createUser();
    const client = portal.client({ flowType: 'pkce' });
    await client.signIn(email);
    const other = portal.address('private');
    const { url } = unwrap(await client.linkIdentity({ provider: 'google', options }));
    const back = await visit(url, { email: other });
    expect(unwrap(await client.getUserIdentities()).identities).toHaveLength(1);
    unwrap(await client.exchangeCodeForSession(code(back)));
    const { identities } = unwrap(await client.getUserIdentities());
    expect(identities.map((identity) => identity.provider)).toEqual(['email', 'google']);
    const [own, linked] = identities;
    expect(linked?.identity_data?.email).toBe(other);

    const stranger = portal.client({ flowType: 'pkce' });
    await stranger.signIn((await portal.createUser()).email);
    const asked = unwrap(await stranger.linkIdentity({ provider: 'google', options }));
    const taken = await visit(asked.url, { email: other });
    expect(taken.searchParams.get('error_code')).toBe('identity_already_exists');
    if (!linked || !own) throw new Error('two were listed');
    expect(errorOf(await stranger.unlinkIdentity(linked))).toEqual(errorWith(422, 'identity_not_found'));
    const last = unwrap(await stranger.getUserIdentities()).identities[0];
    if (!last) throw new Error('one was listed');
    expect(errorOf(await stranger.unlinkIdentity(last))).toEqual(
      errorWith(422, 'single_identity_not_deletable'),
    );

    unwrap(await client.unlinkIdentity(linked));
    expect(unwrap(await client.getUserIdentities()).identities).toEqual([
      expect.objectContaining({ provider: 'email' }),
    ]);
    expect(errorOf(await client.unlinkIdentity({ ...linked, identity_id: 'nonsense' }))).toEqual(
      errorWith(404, 'validation_failed'),
    );
  });
});

test('linking needs PKCE and works only for the user who started it', async () => {
  const { client } = await portal.signedInUser();
  const implicit = await client.linkIdentity({ provider: 'google', options });
  expect(errorOf(implicit)).toEqual(errorWith(400, 'validation_failed'));
  expect(implicit.error?.message).toMatch(/PKCE/);
  expect(unwrap(await client.getUserIdentities()).identities).toHaveLength(1);
});

test('MFA is required after provider sign-in too', async () => {
  const { who, client: first } = await portal.signedInUser();
  const { id, totp } = unwrap(await first.mfa.enroll({ factorType: 'totp' }));
  unwrap(await first.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret) }));
  const client = portal.client({ flowType: 'pkce' });
  const { session } = unwrap(
    await client.exchangeCodeForSession(code(await signInWithProvider(client, { email: who.email }))),
  );
  expect(amrMethods(session.access_token)).toEqual(['oauth']);
  const level = unwrap(await client.mfa.getAuthenticatorAssuranceLevel());
  expect(level).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });
  const rest = (token: string) => portal.ask(`${portal.portal.url}/rest/v1/spvs`, { token });
  expect(await rest(session.access_token)).toMatchObject({ status: 403, body: { code: 'mfa_required' } });
  expect(errorOf(await client.updateUser({ password: 'sparrow-copper-window-88' }))).toEqual(
    errorWith(401, 'insufficient_aal'),
  );
  const linking = await client.linkIdentity({ provider: 'azure', options });
  expect(errorOf(linking)).toEqual(errorWith(403, 'insufficient_aal'));
  unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret, 1) }));
  const raised = await client.requireSession();
  expect(amrMethods(raised.access_token)).toEqual(['totp', 'oauth']);
  expect((await rest(raised.access_token)).status).toBe(200);
});

test('configured providers are listed in /settings', async () => {
  expect((await portal.ask('/settings')).body.external).toMatchObject({ google: true, azure: true });
  const token = (await portal.signedInUser()).session.access_token;
  const path = '/user/identities/authorize?provider=github';
  expect(await portal.ask(path, { token })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed' },
  });
});
