/** auth-js as a third-party client in a page: every flow and its errors. */
import type { AuthError, GoTrueClient, VerifyOtpParams } from '@supabase/auth-js';
import type { Browser, JSHandle, Page } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import { Authenticator } from './support/authenticator';
import { tokenResponse, createAuthClient, retryAfterValues } from './support/authJsClient';
import type { TestServer } from './support/server';
import { password } from './support/portal';
import type { Mail } from './support/smtpServer';
import { expect, test, withServer } from './support/fixtures';

const NEW_PASSWORD = 'seven quiet herons at dusk';
const noError = (status: number, code: string) => ({ status, code });
const OTP_EXPIRED = noError(403, 'otp_expired');
const WRONG_PASSWORD = noError(400, 'invalid_credentials');
/** auth-js reports an ended session without a code. */
const SESSION_MISSING = { status: 400 };

type Npm = JSHandle<GoTrueClient>;
type Ask =
  | 'getUser'
  | 'reauthenticate'
  | 'refreshSession'
  | 'resend'
  | 'resetPasswordForEmail'
  | 'signInWithOtp'
  | 'signInWithPassword'
  | 'signInWithSSO'
  | 'signOut'
  | 'signUp'
  | 'updateUser'
  | 'verifyOtp';
type Refusal = { status?: number; code?: string } | null;

/** Calls a method and returns its error, or null. */
function refusal<What extends Ask>(
  npm: Npm,
  what: What,
  ...asked: Parameters<GoTrueClient[What]>
): Promise<Refusal> {
  return npm.evaluate(
    async (client, { what, asked }) => {
      const asks = client as unknown as Record<
        Ask,
        (...asked: unknown[]) => Promise<{ error: AuthError | null }>
      >;
      const { error } = await asks[what](...asked);
      return error && { status: error.status, code: error.code };
    },
    { what: what as Ask, asked: asked as unknown[] },
  );
}

function signIn(npm: Npm, email: string, with_ = password): Promise<Refusal> {
  return refusal(npm, 'signInWithPassword', { email, password: with_ });
}

/** Verifies the TOTP code of a factor. */
function currentCode(npm: Npm, factorId: string, code: string): Promise<Refusal> {
  return npm.evaluate(
    async (client, shown) => {
      const { error } = await client.mfa.challengeAndVerify(shown);
      return error && { status: error.status, code: error.code };
    },
    { factorId, code },
  );
}

/** Enrols an authenticator that waits for its first code. */
function enrolAuthenticator(npm: Npm): Promise<{ id: string; secret: string }> {
  return npm.evaluate(async (client) => {
    const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
    if (error) throw error;
    return { id: data.id, secret: data.totp.secret };
  });
}

/** Email of the current session. */
function currentUser(npm: Npm): Promise<string | null> {
  return npm.evaluate(async (client) => (await client.getSession()).data.session?.user.email ?? null);
}

function refreshToken(npm: Npm): Promise<string> {
  return npm.evaluate(async (client) => (await client.getSession()).data.session?.refresh_token ?? '');
}

/** Opens a browser page with its own auth client. */
async function openAuthClient(office: TestServer): Promise<{ page: Page; npm: Npm }> {
  const { page } = await office.visitor();
  await page.goto(paths.login('client'));
  return { page, npm: await createAuthClient(page) };
}

/** Email of a new user with a password. */
async function client(office: TestServer, first: string): Promise<string> {
  const who = office.newPerson(first, 'Package');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  return who.email;
}

function testInServer(browser: Browser, env: NodeJS.ProcessEnv, body: (office: TestServer) => Promise<void>) {
  return withServer(browser, { demo: true, env }, body);
}

type Kind = 'invite' | 'magiclink' | 'recovery' | 'signup';

function tokenOf(mail: Mail, kind: Kind): string {
  const confirms = kind === 'magiclink' || kind === 'signup';
  const link = mail.link(confirms ? paths.confirm : paths.resetPassword);
  return new URL(link).searchParams.get('token_hash') ?? '';
}

/** Follows the link to a blank page, because the app would consume the callback itself. */
async function callbackUrl(
  page: Page,
  { office, mail, kind }: { office: TestServer; mail: Mail; kind: Kind },
): Promise<URL> {
  const { url } = await new Api(office.portal.url).post<{ url: string }>('/auth/v1/verify', {
    type: kind,
    token_hash: tokenOf(mail, kind),
    redirect_to: `${office.portal.url}/nothing`,
    skip_http_redirect: true,
  });
  await page.route(/\/nothing/, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(url);
  return new URL(url);
}

/** Codes and links of a mail work once; returns the client that used them. */
async function waitForLink(
  by: 'link' | 'digits',
  { office, email, mail, kind }: { office: TestServer; email: string; mail: Mail; kind: Kind },
): Promise<Npm> {
  const shown: VerifyOtpParams =
    by === 'link'
      ? { token_hash: tokenOf(mail, kind), type: kind }
      : { email, token: mail.code(), type: kind };
  const [{ npm }, { npm: late }] = [await openAuthClient(office), await openAuthClient(office)];
  expect(await refusal(npm, 'verifyOtp', shown)).toBeNull();
  expect(await currentUser(npm)).toBe(email);
  expect(await refusal(late, 'verifyOtp', shown)).toEqual(OTP_EXPIRED);
  return npm;
}

test('emailed code replaces the current password once (reauthentication nonce)', async ({ office }) => {
  const email = await client(office, 'Nora');
  const { npm } = await openAuthClient(office);
  const sets = (change: { password: string; nonce?: string }) => refusal(npm, 'updateUser', change);

  expect(await signIn(npm, email)).toBeNull();
  expect(await sets({ password: NEW_PASSWORD })).toEqual(noError(400, 'current_password_required'));
  expect(await refusal(npm, 'reauthenticate')).toBeNull();
  const nonce = (await office.portal.post.waitForMail(email, 'Your code for')).code();
  const refused = noError(422, 'reauthentication_not_valid');
  const wrong = nonce === '000000' ? '111111' : '000000';
  expect(await sets({ password: NEW_PASSWORD, nonce: wrong })).toEqual(refused);
  expect(await sets({ password: NEW_PASSWORD, nonce })).toBeNull();
  expect(await sets({ password: 'nine loud geese at noon', nonce })).toEqual(refused);
  expect(await signIn(npm, email)).toEqual(WRONG_PASSWORD);
  expect(await signIn(npm, email, NEW_PASSWORD)).toBeNull();
});

test('magic link signs in by link and by code', async ({ office }) => {
  for (const by of ['link', 'digits'] as const) {
    const email = await client(office, 'Mona');
    const { npm } = await openAuthClient(office);
    const asked = { email, options: { shouldCreateUser: false } };
    expect(await refusal(npm, 'signInWithOtp', asked)).toBeNull();
    const mail = await office.portal.post.waitForMail(email, 'Sign in to');
    await waitForLink(by, { office, email, mail, kind: 'magiclink' });
  }
  const { npm } = await openAuthClient(office);
  // The same answer for an unknown address.
  const { email } = office.newPerson('Nobody', 'Here');
  expect(await refusal(npm, 'signInWithOtp', { email })).toBeNull();
});

test('password recovery works by link and by code and ends existing sessions', async ({ office }) => {
  for (const by of ['link', 'digits'] as const) {
    const email = await client(office, 'Rosa');
    const { npm: before } = await openAuthClient(office);
    expect(await signIn(before, email)).toBeNull();
    expect(await refusal(before, 'resetPasswordForEmail', email)).toBeNull();
    const mail = await office.portal.post.waitForMail(email, 'Choose a new password');
    const npm = await waitForLink(by, { office, email, mail, kind: 'recovery' });
    expect(await refusal(npm, 'updateUser', { password: NEW_PASSWORD })).toBeNull();
    expect(await refusal(before, 'getUser')).toEqual(SESSION_MISSING);
    expect(await currentUser(before)).toBeNull();
    expect(await signIn(before, email)).toEqual(WRONG_PASSWORD);
    expect(await signIn(before, email, NEW_PASSWORD)).toBeNull();
  }
});

test('implicit-flow link redirects back with a session that the client stores', async ({ office }) => {
  const email = await client(office, 'Hedda');
  const { page, npm } = await openAuthClient(office);
  const redirectTo = `${office.portal.url}/nothing`;
  expect(await refusal(npm, 'resetPasswordForEmail', email, { redirectTo })).toBeNull();
  const mail = await office.portal.post.waitForMail(email, 'Choose a new password');
  const url = await callbackUrl(page, { office, mail, kind: 'recovery' });
  expect(new URLSearchParams(url.hash.slice(1)).get('type')).toBe('recovery');
  const back = await createAuthClient(page, true);
  expect(await currentUser(back)).toBe(email);
  await expect(page).toHaveURL(({ pathname, hash }) => pathname === '/nothing' && !hash);
  expect(await refusal(back, 'updateUser', { password: NEW_PASSWORD })).toBeNull();
  expect(await signIn(back, email, NEW_PASSWORD)).toBeNull();
});

test('PKCE magic link redirects back with a code that the client exchanges', async ({ office }) => {
  const email = await client(office, 'Pia');
  const { page } = await office.visitor();
  await page.goto(paths.login('client'));
  const npm = await createAuthClient(page, false, 'pkce');
  const options = { shouldCreateUser: false, emailRedirectTo: `${office.portal.url}/nothing` };
  expect(await refusal(npm, 'signInWithOtp', { email, options })).toBeNull();
  const mail = await office.portal.post.waitForMail(email, 'Sign in to');
  const url = await callbackUrl(page, { office, mail, kind: 'magiclink' });
  const code = url.searchParams.get('code') ?? '';
  expect([code.length > 0, url.hash]).toEqual([true, '']);
  const back = await createAuthClient(page, true, 'pkce');
  expect(await currentUser(back)).toBe(email);
  await expect(page).toHaveURL(({ pathname, search }) => pathname === '/nothing' && !search);
  expect(await refusal(back, 'getUser')).toBeNull();
  // It worked once.
  const again = { auth_code: code, code_verifier: 'x'.repeat(64) };
  const spent = new Api(office.portal.url).post('/auth/v1/token?grant_type=pkce', again);
  await expect(spent).rejects.toMatchObject({ status: 404 });
});

test('sign-up waits for confirmation by link or code', async ({ browser }) => {
  await testInServer(browser, { SPV_AUTH_SIGNUP: 'true' }, async (office) => {
    for (const by of ['link', 'digits'] as const) {
      const { email, first } = office.newPerson('Signe', 'Self');
      const { npm } = await openAuthClient(office);
      const asked = { email, password, options: { data: { first_name: first } } };
      expect(await refusal(npm, 'signUp', asked)).toBeNull();
      expect(await currentUser(npm)).toBeNull();
      expect(await signIn(npm, email)).toEqual(noError(400, 'email_not_confirmed'));
      const mail = await office.portal.post.waitForMail(email, 'Confirm');
      await waitForLink(by, { office, email, mail, kind: 'signup' });
      expect(await signIn(npm, email)).toBeNull();
    }
  });
});

test('invitation is accepted by link and by code', async ({ office }) => {
  for (const by of ['link', 'digits'] as const) {
    const { email, first } = office.newPerson('Ines', 'Guest');
    await (await office.api()).post('/auth/v1/invite', { email, data: { first_name: first } });
    const mail = await office.portal.post.waitForMail(email, 'Your invitation');
    const npm = await waitForLink(by, { office, email, mail, kind: 'invite' });
    expect(await refusal(npm, 'updateUser', { password: NEW_PASSWORD })).toBeNull();
    expect(await signIn(npm, email, NEW_PASSWORD)).toBeNull();
  }
});

test('email change with single confirmation is completed by the code sent to the new address', async ({
  browser,
}) => {
  await testInServer(browser, { SPV_AUTH_SECURE_EMAIL_CHANGE: 'false' }, async (office) => {
    const email = await client(office, 'Ebba');
    const next = office.newPerson('Ebba', 'Moved').email;
    const [{ npm }, { npm: phone }] = [await openAuthClient(office), await openAuthClient(office)];
    expect(await signIn(npm, email)).toBeNull();
    expect(await refusal(npm, 'updateUser', { email: 'employee@example.com' })).toEqual(
      noError(422, 'email_exists'),
    );
    expect(await refusal(npm, 'updateUser', { email: next })).toBeNull();
    const token = (await office.portal.post.waitForMail(next, 'Confirm your new email address')).code();
    const shown = { email: next, type: 'email_change' } as const;
    const wrong = token === '000000' ? '111111' : '000000';
    expect(await refusal(phone, 'verifyOtp', { ...shown, token: wrong })).toEqual(OTP_EXPIRED);
    expect(await refusal(phone, 'verifyOtp', { ...shown, token })).toBeNull();
    expect(await currentUser(phone)).toBe(next);
    expect(await refusal(npm, 'refreshSession')).toBeNull();
    expect(await currentUser(npm)).toBe(next);
    expect(await signIn(phone, email)).toEqual(WRONG_PASSWORD);
    expect(await signIn(phone, next)).toBeNull();
    const mails = await office.portal.post.mails();
    expect(mails.filter(({ subject }) => subject.includes('Confirm your email address change'))).toEqual([]);
  });
});

test('second sign-in stays at aal1 until the TOTP code is verified and cannot remove factors', async ({
  office,
}) => {
  const email = await client(office, 'Totty');
  const { npm: first } = await openAuthClient(office);
  expect(await signIn(first, email)).toBeNull();
  const { id, secret } = await enrolAuthenticator(first);
  const app = new Authenticator(secret);
  expect(await currentCode(first, id, await app.code())).toBeNull();

  const { npm } = await openAuthClient(office);
  const levels = () =>
    npm.evaluate(async (client) => {
      const { data } = await client.mfa.getAuthenticatorAssuranceLevel();
      return data && [data.currentLevel, data.nextLevel];
    });
  const unenrols = () =>
    npm.evaluate(async (client, factorId) => {
      const { error } = await client.mfa.unenroll({ factorId });
      return error && { status: error.status, code: error.code };
    }, id);
  const another = () =>
    npm.evaluate(async (client) => {
      const { error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Another' });
      return error && { status: error.status, code: error.code };
    });
  expect(await signIn(npm, email)).toBeNull();
  expect(await levels()).toEqual(['aal1', 'aal2']);
  expect(await unenrols()).toEqual(noError(422, 'insufficient_aal'));
  expect(await another()).toEqual(noError(403, 'insufficient_aal'));
  expect(await refusal(npm, 'updateUser', { password: NEW_PASSWORD })).toEqual(
    noError(401, 'insufficient_aal'),
  );
  expect(await currentCode(npm, id, 'abcdef')).toEqual(noError(422, 'mfa_verification_failed'));
  expect(await currentCode(npm, id, await app.code())).toBeNull();
  expect(await levels()).toEqual(['aal2', 'aal2']);
  expect(await unenrols()).toBeNull();
  expect(await refusal(npm, 'refreshSession')).toBeNull();
  expect(await levels()).toEqual(['aal1', 'aal1']);
});

test('sign-out ends exactly the sessions of its scope (local, others, global)', async ({ office }) => {
  const email = await client(office, 'Scott');
  const [laptop, phone] = [await openAuthClient(office), await openAuthClient(office)];
  const signsIn = async ({ npm }: typeof laptop) => {
    expect(await signIn(npm, email)).toBeNull();
    return refreshToken(npm);
  };
  const isIn = async ({ npm }: typeof laptop) => {
    expect(await refusal(npm, 'getUser')).toBeNull();
    expect(await refusal(npm, 'refreshSession')).toBeNull();
  };
  const isOut = async ({ page, npm }: typeof laptop, refresh_token: string) => {
    const tries = async () => {
      expect(await refusal(npm, 'refreshSession', { refresh_token })).toEqual(SESSION_MISSING);
    };
    expect(await tokenResponse(page, 'refresh_token', tries)).toEqual(noError(400, 'session_not_found'));
    expect(await refusal(npm, 'getUser')).toEqual(SESSION_MISSING);
    expect(await currentUser(npm)).toBeNull();
  };

  await signsIn(laptop);
  let before = await signsIn(phone);
  expect(await refusal(laptop.npm, 'signOut', { scope: 'others' })).toBeNull();
  await isOut(phone, before);
  await isIn(laptop);

  await signsIn(phone);
  before = await refreshToken(laptop.npm);
  expect(await refusal(laptop.npm, 'signOut', { scope: 'local' })).toBeNull();
  await isOut(laptop, before);
  await isIn(phone);

  before = await signsIn(laptop);
  const others = await refreshToken(phone.npm);
  expect(await refusal(laptop.npm, 'signOut', { scope: 'global' })).toBeNull();
  await isOut(laptop, before);
  await isOut(phone, others);
});

test('parent refresh token is accepted at any age, older tokens only within the reuse interval', async ({
  ownOffice: office,
}) => {
  const { npm } = await openAuthClient(office);
  expect(await signIn(npm, 'client@example.com')).toBeNull();
  const renews = (refresh_token: string) =>
    npm.evaluate(async (client, refresh_token) => {
      const { data, error } = await client.refreshSession({ refresh_token });
      return error ? { status: error.status, code: error.code } : data.session?.refresh_token;
    }, refresh_token);
  const tokens = [await refreshToken(npm)];
  while (tokens.length < 4) {
    expect(await refusal(npm, 'refreshSession')).toBeNull();
    tokens.push(await refreshToken(npm));
  }
  expect(new Set(tokens).size).toBe(4);
  const [oldest = '', , parent = '', active = ''] = tokens;
  await office.portal.setRefreshedNow();
  for (const token of [oldest, parent]) expect(await renews(token)).toBe(active);
  await office.portal.ageRefreshesByMinute();
  expect(await renews(parent)).toBe(active);
  expect(await refusal(npm, 'getUser')).toBeNull();
  expect(await renews(oldest)).toEqual(noError(400, 'refresh_token_already_used'));
  expect(await refusal(npm, 'getUser')).toEqual(SESSION_MISSING);
  expect(await currentUser(npm)).toBeNull();
});

test('a hundred concurrent refreshes of one token keep the session @postgres', async ({ office }) => {
  const email = await client(office, 'Cento');
  const { npm } = await openAuthClient(office);
  expect(await signIn(npm, email)).toBeNull();
  const before = await refreshToken(npm);
  const { refused, tokens } = await npm.evaluate(async (client, refresh_token) => {
    const Client = client.constructor as typeof GoTrueClient;
    const clients = Array.from(
      { length: 100 },
      (_, n) =>
        new Client({
          url: `${location.origin}/auth/v1`,
          storageKey: `npm-client-${n}`,
          persistSession: false,
          autoRefreshToken: false,
          detectSessionInUrl: false,
        }),
    );
    const renewed = await Promise.all(clients.map((one) => one.refreshSession({ refresh_token })));
    const asked = await Promise.all(clients.map((one) => one.getUser()));
    return {
      refused: [...renewed, ...asked].flatMap(({ error }) => error?.message ?? []),
      tokens: [...new Set(renewed.map(({ data }) => data.session?.refresh_token))],
    };
  }, before);
  expect(refused).toEqual([]);
  expect(tokens).toHaveLength(1);
  expect(tokens).not.toContain(before);
  // Nor the session from which it was refreshed.
  expect(await refusal(npm, 'refreshSession')).toBeNull();
  expect(await refreshToken(npm)).toBe(tokens[0]);
  expect(await refusal(npm, 'getUser')).toBeNull();
});

test('two tabs sharing a session refresh concurrently and both keep it', async ({ office }) => {
  const email = await client(office, 'Zwilla');
  const { page, npm } = await openAuthClient(office);
  expect(await signIn(npm, email)).toBeNull();
  const tab = await page.context().newPage();
  await tab.goto(paths.login('client'));
  const other = await createAuthClient(tab);
  for (let times = 0; times < 5; times += 1) {
    const both = await Promise.all([npm, other].map((one) => refusal(one, 'refreshSession')));
    // The slower client finds the newer token in storage and drops its own.
    for (const refused of both) expect([null, { status: 409 }]).toContainEqual(refused);
  }
  for (const one of [npm, other]) {
    expect(await refusal(one, 'getUser')).toBeNull();
    expect(await refusal(one, 'refreshSession')).toBeNull();
    expect(await currentUser(one)).toBe(email);
  }
});

/** Calls until rate limited and returns that error. */
async function callUntilRateLimited(ask: () => Promise<Refusal>): Promise<Refusal> {
  let refused = await ask();
  expect(refused?.status).not.toBe(429);
  for (let times = 0; times < 60 && refused?.status !== 429; times += 1) refused = await ask();
  return refused;
}

test('rate-limited mails and code guesses return Retry-After', async ({ office }) => {
  const email = await client(office, 'Hasty');
  const { page, npm } = await openAuthClient(office);
  expect(await signIn(npm, email)).toBeNull();
  const { id } = await enrolAuthenticator(npm);
  const recovers = () =>
    npm.evaluate(async (client) => {
      const { error } = await client.mfa.recoveryCodes.verify({ code: 'nonsense' });
      return error && { status: error.status, code: error.code };
    });
  const mails = 'over_email_send_rate_limit';
  const guesses = 'over_request_rate_limit';
  const asked: [() => Promise<Refusal>, string][] = [
    [() => refusal(npm, 'resetPasswordForEmail', email), mails],
    [() => refusal(npm, 'resend', { type: 'signup', email }), mails],
    [() => refusal(npm, 'reauthenticate'), mails],
    [() => refusal(npm, 'updateUser', { email: office.newPerson('Hasty', 'Moved').email }), mails],
    [() => currentCode(npm, id, 'abcdef'), guesses],
    [recovers, 'mfa_recovery_codes_locked'],
    [() => signIn(npm, email, 'not the password'), guesses],
    [() => refusal(npm, 'verifyOtp', { email, token: '000000', type: 'recovery' }), guesses],
  ];
  for (const [ask, code] of asked) expect(await callUntilRateLimited(ask)).toEqual(noError(429, code));
  // Shares the limit with recovery mails.
  expect(await refusal(npm, 'signInWithOtp', { email })).toEqual(noError(429, mails));
  const told = await retryAfterValues(page);
  expect(told).toHaveLength(asked.length + 1);
  for (const wait of told) expect(wait).toMatch(/^[1-9]\d*$/);
  expect(await refusal(npm, 'getUser')).toBeNull();
});

test('requests are rate limited per address without ending sessions there', async ({ browser }) => {
  await testInServer(browser, { SPV_AUTH_RATE_LIMITS: 'true' }, async (office) => {
    const { page, npm } = await openAuthClient(office);
    expect(await signIn(npm, 'client@example.com')).toBeNull();
    const asked: (() => Promise<Refusal>)[] = [
      () => refusal(npm, 'verifyOtp', { token_hash: 'x', type: 'recovery' }),
      () => refusal(npm, 'resetPasswordForEmail', 'no address'),
      () => refusal(npm, 'signInWithSSO', { domain: 'example.com' }),
      () => refusal(npm, 'signInWithPassword', { email: '', password }),
      () => currentCode(npm, '6a7b1f7e-9f8f-4a59-8f7b-0123456789ab', '123456'),
    ];
    for (const ask of asked)
      expect(await callUntilRateLimited(ask)).toEqual(noError(429, 'over_request_rate_limit'));
    const told = await retryAfterValues(page);
    expect(told).toHaveLength(asked.length);
    for (const wait of told) expect(wait).toMatch(/^[1-9]\d*$/);
    expect(await refusal(npm, 'refreshSession')).toBeNull();
    expect(await refusal(npm, 'getUser')).toBeNull();
  });
});
