/** Rate limits and throttling: Retry-After header, body field and message. */
import { describe, expect, test } from 'vitest';
import {
  uniqueAddress,
  EXTERNAL_URL,
  unwrap,
  errorWith,
  startServer,
  password,
  errorOf,
  currentCode,
  type HttpResponse,
  type RequestOptions,
} from './support/server';

const portal = startServer();

function expectRateLimited(response: HttpResponse, code: string): number {
  expect(response.status).toBe(429);
  expect(response.body.code).toBe(code);
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(response.body.retry_after).toBe(seconds);
  expect(response.body.message).toMatch(new RegExp(`\\b${seconds} s(econds?)?\\b`));
  return seconds;
}

describe('mails per address', () => {
  const asked: [string, (email: string) => Promise<HttpResponse>][] = [
    ['recovery mails', (email) => portal.ask('/recover', { body: { email } })],
    ['confirmation mails', (email) => portal.ask('/resend', { body: { type: 'signup', email } })],
    ['email change mails', (email) => portal.ask('/resend', { body: { type: 'email_change', email } })],
  ];
  test.each(asked)('%s are limited to one a minute, for known and unknown addresses', async (_, ask) => {
    for (const email of [(await portal.createUser()).email, portal.address()]) {
      expect((await ask(email)).status).toBe(200);
      const seconds = expectRateLimited(await ask(email), 'over_email_send_rate_limit');
      expect(seconds).toBeLessThanOrEqual(60);
      expectRateLimited(await ask(email.toUpperCase()), 'over_email_send_rate_limit');
    }
  });

  test('magic links share the limit with recovery mails', async () => {
    const { email } = await portal.createUser();
    unwrap(await portal.client().signInWithOtp({ email }));
    const again = await portal.client().signInWithOtp({ email });
    expect(errorOf(again)).toEqual(errorWith(429, 'over_email_send_rate_limit'));
    expect(again.error?.message).toMatch(/after \d+ seconds/);
    expect(errorOf(await portal.client().resetPasswordForEmail(email))).toEqual(
      errorWith(429, 'over_email_send_rate_limit'),
    );
  });

  test('reauthentication and email change mails are limited', async () => {
    const { client, session } = await portal.signedInUser();
    unwrap(await client.reauthenticate());
    expectRateLimited(
      await portal.ask('/reauthenticate', { token: session.access_token }),
      'over_email_send_rate_limit',
    );
    unwrap(await client.updateUser({ email: portal.address() }));
    const body = { email: portal.address() };
    expectRateLimited(
      await portal.ask('/user', { method: 'PUT', token: session.access_token, body }),
      'over_email_send_rate_limit',
    );
  });
});

describe('wrong passwords', () => {
  const enter = (email: string, with_: string, from: string) =>
    portal.ask('/token?grant_type=password', {
      body: { email, password: with_ },
      headers: { 'x-forwarded-for': from },
    });

  test('are throttled for known and unknown addresses alike', async () => {
    for (const email of [(await portal.createUser()).email, portal.address()]) {
      const from = uniqueAddress();
      const answers: HttpResponse[] = [];
      // The fifth failure is the first with a delay.
      for (let times = 0; times < 6; times += 1) answers.push(await enter(email, 'not this one', from));
      expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
      expectRateLimited(answers[5] as HttpResponse, 'over_request_rate_limit');
    }
  });

  test('do not throttle the owner elsewhere or other accounts', async () => {
    const [one, other] = [await portal.createUser(), await portal.createUser()];
    const from = uniqueAddress();
    for (let times = 0; times < 6; times += 1) await enter(one.email, 'not this one', from);
    expect((await enter(one.email, password, uniqueAddress())).status).toBe(200);
    expect((await enter(other.email, password, from)).status).toBe(200);
  });
});

describe('code guesses with a session', () => {
  const chosen = 'sparrow-copper-window-88';

  /** The first five fail without delay, then each doubles the delay. */
  async function failRepeatedly(
    path: string,
    asking: RequestOptions,
    expectedCode: string,
    late = 'over_request_rate_limit',
  ) {
    const answers: HttpResponse[] = [];
    while (answers.length < 10 && answers.at(-1)?.status !== 429) {
      answers.push(await portal.ask(path, asking));
    }
    expect(answers.slice(0, 5).map(({ body }) => body.code)).toEqual(Array(5).fill(expectedCode));
    expectRateLimited(answers.at(-1) as HttpResponse, late);
  }

  const proofs: [string, object, string][] = [
    ['the current password', { current_password: 'not this one' }, 'current_password_invalid'],
    ['the emailed code', { nonce: '000000' }, 'reauthentication_not_valid'],
  ];
  test.each(proofs)('at %s are throttled without affecting others', async (_, proof, expectedCode) => {
    const { client, session } = await portal.signedInUser();
    const headers = { 'x-forwarded-for': uniqueAddress() };
    const body = { password: chosen, ...proof };
    await failRepeatedly(
      '/user',
      { method: 'PUT', token: session.access_token, headers, body },
      expectedCode,
    );
    unwrap(await client.updateUser({ password: chosen, current_password: password }));
  });

  test('of TOTP are throttled without affecting others', async () => {
    const { client, session } = await portal.signedInUser();
    const { id, totp } = unwrap(await client.mfa.enroll({ factorType: 'totp' }));
    const who = { token: session.access_token, headers: { 'x-forwarded-for': uniqueAddress() } };
    const challenge = await portal.ask(`/factors/${id}/challenge`, { method: 'POST', ...who });
    const body = { challenge_id: challenge.body.id, code: 'abcdef' };
    await failRepeatedly(`/factors/${id}/verify`, { ...who, body }, 'mfa_verification_failed');
    unwrap(await client.mfa.challengeAndVerify({ factorId: id, code: currentCode(totp.secret) }));
  });

  test('of recovery codes are throttled with their own error code', async () => {
    const { session } = await portal.signedInUser();
    const headers = { 'x-forwarded-for': uniqueAddress() };
    const asking = { token: session.access_token, headers, body: { code: 'nonsense' } };
    const late = 'mfa_recovery_codes_locked';
    await failRepeatedly('/factors/recovery-codes/verify', asking, 'mfa_verification_failed', late);
  });
});

/** Requests until rate limited; returns the number of accepted ones. `asking` may use a new account each time. */
async function requestsUntilLimited(
  path: string,
  asking: () => Promise<RequestOptions> | RequestOptions,
  most: number,
  from = uniqueAddress(),
): Promise<number> {
  const headers = { 'x-forwarded-for': from };
  const mine = await asking();
  for (let times = 0; times < most; times += 1) {
    const response = await portal.ask(path, { ...mine, headers });
    if (response.status !== 429) continue;
    expectRateLimited(response, 'over_request_rate_limit');
    // Other accounts are unaffected.
    expect((await portal.ask(path, await asking())).status).not.toBe(429);
    return times;
  }
  throw new Error(`${path} was answered ${most} times`);
}

const invalidEmail = () => ({ body: { email: `not an address ${uniqueAddress()}` } });

/** Expects a redirect with the error in its URL. */
function expectRedirectedWithError(response: HttpResponse, to: string) {
  expect(response.status).toBe(302);
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  const led = new URL(response.headers.get('location') ?? '');
  expect(led.origin + led.pathname).toBe(to);
  for (const said of [led.searchParams, new URLSearchParams(led.hash.slice(1))]) {
    expect(said.get('error_code')).toBe('over_request_rate_limit');
    expect(said.get('error_description')).toContain(`${seconds} s`);
  }
}

/** Requests until the redirect has the error; returns the number without. */
async function redirectsUntilLimited(path: string, most: number, from: string, to: string): Promise<number> {
  const headers = { 'x-forwarded-for': from };
  for (let times = 0; times < most; times += 1) {
    const response = await portal.ask(path, { headers });
    if (!response.headers.get('location')?.includes('over_request_rate_limit')) continue;
    expectRedirectedWithError(response, to);
    return times;
  }
  throw new Error(`${path} was answered ${most} times`);
}

describe('requests per client address', () => {
  const routes: [string, () => RequestOptions, number][] = [
    ['/verify', () => ({ body: { type: 'recovery', token_hash: 'x' } }), 30],
    ['/signup', invalidEmail, 30],
    ['/otp', invalidEmail, 30],
    ['/magiclink', invalidEmail, 30],
    ['/recover', invalidEmail, 30],
    ['/resend', () => ({ body: {} }), 30],
    ['/sso', () => ({ body: { domain: 'example.com' } }), 30],
    ['/reauthenticate', () => ({}), 30],
    ['/factors/recovery-codes/verify', () => ({ body: { code: 'x' } }), 30],
    ['/token?grant_type=password', () => ({ body: { password } }), 150],
    ['/token?grant_type=pkce', () => ({ body: { auth_code: 'x', code_verifier: 'y' } }), 150],
  ];
  test.each(routes)('are limited at %s', async (path, asking, allowed) => {
    const answered = await requestsUntilLimited(path, asking, allowed + 10);
    expect(answered).toBeGreaterThanOrEqual(30);
  });

  test('provider redirects and callbacks redirect back with the error', async () => {
    const own = `${portal.portal.url}/`;
    const authorize = `/authorize?provider=google&redirect_to=${encodeURIComponent(EXTERNAL_URL)}`;
    const from = uniqueAddress();
    expect(await redirectsUntilLimited(authorize, 40, from, EXTERNAL_URL)).toBeGreaterThanOrEqual(30);
    // The callback has a higher limit, because users share addresses, and its own counter.
    expect(await redirectsUntilLimited('/callback?state=x&code=y', 400, from, own)).toBeGreaterThanOrEqual(
      300,
    );
    expect((await portal.ask(authorize)).status).toBe(400);
  });

  test('are limited per route', async () => {
    const from = uniqueAddress();
    const { access_token: token } = (await portal.signedInUser()).session;
    const each: [string, RequestOptions][] = [
      ['/verify', { body: { type: 'recovery', token_hash: 'x' } }],
      ...['/signup', '/otp', '/magiclink', '/recover'].map((path): [string, RequestOptions] => [
        path,
        invalidEmail(),
      ]),
      ['/resend', { body: {} }],
      ['/sso', { body: { domain: 'example.com' } }],
      ['/reauthenticate', {}],
      ['/user', { method: 'PUT', token, ...invalidEmail() }],
      ['/factors/recovery-codes/verify', { body: { code: 'x' } }],
      ['/factors/6a7b1f7e-9f8f-4a59-8f7b-0123456789ab/verify', { body: {} }],
    ];
    for (const [path, asking] of each) {
      const first = await portal.ask(path, { ...asking, headers: { 'x-forwarded-for': from } });
      expect(first.status, `${path} has not been asked yet`).not.toBe(429);
      await requestsUntilLimited(path, () => asking, 60, from);
    }
    const headers = { 'x-forwarded-for': from };
    expect((await portal.ask('/authorize?provider=google', { headers })).status).toBe(400);
    const { email } = await portal.createUser();
    const enters = await portal.ask('/token?grant_type=password', { body: { email, password }, headers });
    expect(enters.status).toBe(200);
  });

  test('account changes and TOTP codes are limited', async () => {
    const asking = async (method: string, body: object) => ({
      method,
      body,
      token: (await portal.signedInUser()).session.access_token,
    });
    const changes = await requestsUntilLimited('/user', () => asking('PUT', invalidEmail().body), 40);
    expect(changes).toBeGreaterThanOrEqual(30);
    const factor = '/factors/6a7b1f7e-9f8f-4a59-8f7b-0123456789ab';
    const shows = { challenge_id: '6a7b1f7e-9f8f-4a59-8f7b-0123456789ac', code: '123456' };
    for (const [what, body] of [
      ['challenge', {}],
      ['verify', shows],
    ] as const) {
      const tried = await requestsUntilLimited(`${factor}/${what}`, () => asking('POST', body), 60);
      expect(tried, what).toBeGreaterThanOrEqual(15);
    }
  });

  test('refresh has a high limit, and the client keeps its session beyond it', async () => {
    const { client, session } = await portal.signedInUser();
    const headers = { 'x-forwarded-for': uniqueAddress() };
    const body = { refresh_token: session.refresh_token };
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => portal.ask('/token?grant_type=refresh_token', { body, headers })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    unwrap(await client.refreshSession());

    // Beyond that it is limited too, but a valid access token keeps the session.
    const flood: HttpResponse[] = [];
    for (let times = 0; times < 20 && !flood.some(({ status }) => status === 429); times += 1) {
      const nonsense = { body: { refresh_token: 'x' }, headers };
      flood.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, () => portal.ask('/token?grant_type=refresh_token', nonsense)),
        )),
      );
    }
    expectRateLimited(flood.find(({ status }) => status === 429) as HttpResponse, 'over_request_rate_limit');
    const stuck = portal.client({ headers });
    const { access_token, refresh_token } = await client.requireSession();
    unwrap(await stuck.setSession({ access_token, refresh_token }));
    const refused = await stuck.refreshSession();
    if (refused.error) expect(errorOf(refused)).toEqual(errorWith(429, 'over_request_rate_limit'));
    expect(await stuck.session()).not.toBeNull();
    expect(stuck.events).not.toContain('SIGNED_OUT');
    unwrap(await client.refreshSession());
  });
});

describe('requests per account', () => {
  const path = '/token?grant_type=pkce';
  const ask = (email: string, from: string) =>
    portal.ask(path, { body: { email }, headers: { 'x-forwarded-for': from } });

  test('are limited across addresses at a higher limit', async () => {
    const email = portal.address();
    let response: HttpResponse | undefined;
    let passed = 0;
    while (passed < 1200 && response?.status !== 429) {
      const together = await Promise.all(Array.from({ length: 50 }, () => ask(email, uniqueAddress())));
      response = together.find(({ status }) => status === 429);
      passed += together.filter(({ status }) => status !== 429).length;
    }
    expectRateLimited(response as HttpResponse, 'over_request_rate_limit');
    expect(passed).toBeGreaterThanOrEqual(300);
    expect((await ask(portal.address(), uniqueAddress())).status).toBe(400);
  });

  test('from one address never lock out the owner', async () => {
    const email = portal.address();
    const from = uniqueAddress();
    let limited = 0;
    for (let times = 0; times < 120; times += 1) limited += Number((await ask(email, from)).status === 429);
    expect(limited).toBeGreaterThan(0);
    expect((await ask(email, uniqueAddress())).status).toBe(400);
  });

  test('refreshes are limited by token from any address without sign-out', async () => {
    const { session, who } = await portal.signedInUser();
    const refresh = (refresh_token: string) =>
      portal.ask('/token?grant_type=refresh_token', { body: { refresh_token, email: who.id } });
    // Requests by other users or with old sessions do not use the quota of the owner.
    const gone = portal.client();
    const { refresh_token } = await gone.signIn(who.email);
    await gone.signOutOrThrow('local');
    for (let times = 0; times < 7; times += 1) {
      const together = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
      expect(new Set(together.map(({ status }) => status))).toEqual(new Set([400]));
    }
    let response: HttpResponse | undefined;
    let passed = 0;
    while (passed < 600 && !response) {
      const together = await Promise.all(Array.from({ length: 50 }, () => refresh(session.refresh_token)));
      response = together.find(({ status }) => status === 429);
      passed += together.filter(({ status }) => status === 200).length;
    }
    expectRateLimited(response as HttpResponse, 'over_request_rate_limit');
    expect(passed).toBeGreaterThanOrEqual(300);
    expect((await portal.ask('/user', { token: session.access_token })).status).toBe(200);
    unwrap(await (await portal.signedInUser()).client.refreshSession());
  });

  test('wrong email codes are throttled increasingly, for known and unknown addresses alike', async () => {
    for (const email of [(await portal.createUser()).email, portal.address()]) {
      const body = { type: 'recovery', email, token: '123456' };
      const answers: HttpResponse[] = [];
      for (let times = 0; times < 12; times += 1) answers.push(await portal.ask('/verify', { body }));
      expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(403));
      expectRateLimited(
        answers.find(({ status }) => status === 429) as HttpResponse,
        'over_request_rate_limit',
      );
    }
  });
});
