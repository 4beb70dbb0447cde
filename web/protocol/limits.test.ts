/** Whoever asks too often is told how long to wait: in a header, in the body and in the sentence. */
import { describe, expect, test } from 'vitest';
import { address, got, no, office, password, refusal, type Answer, type Asking } from './support/office';

const portal = office();

function held(answer: Answer, code: string): number {
  expect(answer.status).toBe(429);
  expect(answer.body.code).toBe(code);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(answer.body.retry_after).toBe(seconds);
  expect(answer.body.message).toMatch(new RegExp(`\\b${seconds} s(econds?)?\\b`));
  return seconds;
}

describe('mails to one address', () => {
  const asked: [string, (email: string) => Promise<Answer>][] = [
    ['for a new password', (email) => portal.ask('/recover', { body: { email } })],
    ['for a confirmation', (email) => portal.ask('/resend', { body: { type: 'signup', email } })],
    ['for a change', (email) => portal.ask('/resend', { body: { type: 'email_change', email } })],
  ];
  test.each(asked)('%s: one a minute, known or not', async (_, ask) => {
    for (const email of [(await portal.somebody()).email, portal.address()]) {
      expect((await ask(email)).status).toBe(200);
      const seconds = held(await ask(email), 'over_email_send_rate_limit');
      expect(seconds).toBeLessThanOrEqual(60);
      held(await ask(email.toUpperCase()), 'over_email_send_rate_limit');
    }
  });

  test('to sign in without a password, which count with those for a new one', async () => {
    const { email } = await portal.somebody();
    got(await portal.client().signInWithOtp({ email }));
    const again = await portal.client().signInWithOtp({ email });
    expect(refusal(again)).toEqual(no(429, 'over_email_send_rate_limit'));
    expect(again.error?.message).toMatch(/after \d+ seconds/);
    expect(refusal(await portal.client().resetPasswordForEmail(email))).toEqual(
      no(429, 'over_email_send_rate_limit'),
    );
  });

  test('for proof of who sits there, and for a new address', async () => {
    const { client, session } = await portal.inside();
    got(await client.reauthenticate());
    held(await portal.ask('/reauthenticate', { token: session.access_token }), 'over_email_send_rate_limit');
    got(await client.updateUser({ email: portal.address() }));
    const body = { email: portal.address() };
    held(
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

  test('make the next try wait, for a known and an unknown address alike', async () => {
    for (const email of [(await portal.somebody()).email, portal.address()]) {
      const from = address();
      const answers: Answer[] = [];
      // The fifth failure is the first that brings a wait.
      for (let times = 0; times < 6; times += 1) answers.push(await enter(email, 'not this one', from));
      expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
      held(answers[5] as Answer, 'over_request_rate_limit');
    }
  });

  test('hold up neither the owner elsewhere nor others at the same place', async () => {
    const [one, other] = [await portal.somebody(), await portal.somebody()];
    const from = address();
    for (let times = 0; times < 6; times += 1) await enter(one.email, 'not this one', from);
    expect((await enter(one.email, password, address())).status).toBe(200);
    expect((await enter(other.email, password, from)).status).toBe(200);
  });
});

/** Asks until it is too much; says how often it was answered. `asking` is for another account each time. */
async function until(path: string, asking: () => Promise<Asking> | Asking, most: number): Promise<number> {
  const headers = { 'x-forwarded-for': address() };
  const mine = await asking();
  for (let times = 0; times < most; times += 1) {
    const answer = await portal.ask(path, { ...mine, headers });
    if (answer.status !== 429) continue;
    held(answer, 'over_request_rate_limit');
    // Somebody else is not held up.
    expect((await portal.ask(path, await asking())).status).not.toBe(429);
    return times;
  }
  throw new Error(`${path} was answered ${most} times`);
}

const wrong = () => ({ body: { email: `not an address ${address()}` } });

describe('requests from one address', () => {
  const routes: [string, () => Asking, number][] = [
    ['/verify', () => ({ body: { type: 'recovery', token_hash: 'x' } }), 30],
    ['/signup', wrong, 30],
    ['/otp', wrong, 30],
    ['/magiclink', wrong, 30],
    ['/recover', wrong, 30],
    ['/resend', () => ({ body: {} }), 30],
    ['/sso', () => ({ body: { domain: 'example.com' } }), 30],
    ['/token?grant_type=pkce', () => ({ body: { auth_code: 'x', code_verifier: 'y' } }), 150],
  ];
  test.each(routes)('%s', async (path, asking, allowed) => {
    const answered = await until(path, asking, allowed + 10);
    expect(answered).toBeGreaterThanOrEqual(30);
  });

  test('a person’s own: changes and codes of an authenticator', async () => {
    const asking = async (method: string, body: object) => ({
      method,
      body,
      token: (await portal.inside()).session.access_token,
    });
    const changes = await until('/user', () => asking('PUT', wrong().body), 40);
    expect(changes).toBeGreaterThanOrEqual(30);
    const factor = '/factors/6a7b1f7e-9f8f-4a59-8f7b-0123456789ab';
    const tried = await until(`${factor}/challenge`, () => asking('POST', {}), 40);
    expect(tried).toBeGreaterThanOrEqual(15);
  });

  test('refreshing is hardly ever too often, and the client keeps its session when it is', async () => {
    const { client, session } = await portal.inside();
    const headers = { 'x-forwarded-for': address() };
    const body = { refresh_token: session.refresh_token };
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => portal.ask('/token?grant_type=refresh_token', { body, headers })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    got(await client.refreshSession());

    // Beyond that it is refused, too; whoever has a good access token keeps the session all the same.
    const flood: Answer[] = [];
    for (let times = 0; times < 20 && !flood.some(({ status }) => status === 429); times += 1) {
      const nonsense = { body: { refresh_token: 'x' }, headers };
      flood.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, () => portal.ask('/token?grant_type=refresh_token', nonsense)),
        )),
      );
    }
    held(flood.find(({ status }) => status === 429) as Answer, 'over_request_rate_limit');
    const stuck = portal.client({ headers });
    const { access_token, refresh_token } = await client.there();
    got(await stuck.setSession({ access_token, refresh_token }));
    const refused = await stuck.refreshSession();
    if (refused.error) expect(refusal(refused)).toEqual(no(429, 'over_request_rate_limit'));
    expect(await stuck.session()).not.toBeNull();
    expect(stuck.events).not.toContain('SIGNED_OUT');
    got(await client.refreshSession());
  });
});

describe('requests for one account', () => {
  const path = '/token?grant_type=pkce';
  const ask = (email: string, from: string) =>
    portal.ask(path, { body: { email }, headers: { 'x-forwarded-for': from } });

  test('are counted wherever they come from, and far more are let through than from one address', async () => {
    const email = portal.address();
    let answer: Answer | undefined;
    let passed = 0;
    while (passed < 1200 && answer?.status !== 429) {
      const together = await Promise.all(Array.from({ length: 50 }, () => ask(email, address())));
      answer = together.find(({ status }) => status === 429);
      passed += together.filter(({ status }) => status !== 429).length;
    }
    held(answer as Answer, 'over_request_rate_limit');
    expect(passed).toBeGreaterThanOrEqual(300);
    expect((await ask(portal.address(), address())).status).toBe(400);
  });

  test('from one address never keep the owner out', async () => {
    const email = portal.address();
    const from = address();
    let limited = 0;
    for (let times = 0; times < 120; times += 1) limited += Number((await ask(email, from)).status === 429);
    expect(limited).toBeGreaterThan(0);
    expect((await ask(email, address())).status).toBe(400);
  });

  test('are refreshes by its tokens alone, from wherever they come, and nobody is signed out', async () => {
    const { session, who } = await portal.inside();
    const refresh = (refresh_token: string) =>
      portal.ask('/token?grant_type=refresh_token', { body: { refresh_token, email: who.id } });
    // Neither whoever knows the account nor whoever once had a session of it uses up what its owner needs.
    const gone = portal.client();
    const { refresh_token } = await gone.enters(who.email);
    await gone.leaves('local');
    for (let times = 0; times < 7; times += 1) {
      const together = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
      expect(new Set(together.map(({ status }) => status))).toEqual(new Set([400]));
    }
    let answer: Answer | undefined;
    let passed = 0;
    while (passed < 600 && !answer) {
      const together = await Promise.all(Array.from({ length: 50 }, () => refresh(session.refresh_token)));
      answer = together.find(({ status }) => status === 429);
      passed += together.filter(({ status }) => status === 200).length;
    }
    held(answer as Answer, 'over_request_rate_limit');
    expect(passed).toBeGreaterThanOrEqual(300);
    expect((await portal.ask('/user', { token: session.access_token })).status).toBe(200);
    got(await (await portal.inside()).client.refreshSession());
  });

  test('wrong codes from a mail wait longer and longer, for a known and an unknown address alike', async () => {
    for (const email of [(await portal.somebody()).email, portal.address()]) {
      const body = { type: 'recovery', email, token: '123456' };
      const answers: Answer[] = [];
      for (let times = 0; times < 12; times += 1) answers.push(await portal.ask('/verify', { body }));
      expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(403));
      held(answers.find(({ status }) => status === 429) as Answer, 'over_request_rate_limit');
    }
  });
});
