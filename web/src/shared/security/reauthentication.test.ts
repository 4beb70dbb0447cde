import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../api/errors';

const session = vi.hoisted(() => ({ proofs: [] as { method: string; timestamp: number }[] }));
vi.mock('../../api/session', () => ({
  auth: {
    mfa: {
      getAuthenticatorAssuranceLevel: () =>
        Promise.resolve({ data: { currentAuthenticationMethods: session.proofs } }),
    },
  },
}));
const { reauthenticate, needsReauthentication, currentPrompt, withReauthentication } =
  await import('./reauthentication');

const refusal = (code: string) => new ApiError(400, { code, message: '', request_id: '' });
const now = 1_800_000_000;

beforeEach(() => {
  session.proofs = [];
});

test('reauthentication is needed nine minutes after the last proof, and refreshing does not count', async () => {
  const needs = (...proofs: [string, number][]) => {
    session.proofs = proofs.map(([method, age]) => ({ method, timestamp: now - age }));
    return needsReauthentication(now * 1000);
  };
  expect(await needs(['password', 500])).toBe(false);
  expect(await needs(['password', 541])).toBe(true);
  expect(await needs(['token_refresh', 1], ['password', 5_000])).toBe(true);
  expect(await needs(['totp', 60], ['password', 5_000])).toBe(false);
  expect(await needs()).toBe(false);
});

test('rejected action is retried after reauthentication only', async () => {
  const action = vi.fn<() => Promise<string>>();
  action.mockRejectedValueOnce(refusal('reauthentication_needed')).mockResolvedValueOnce('done');
  const going = withReauthentication(action);
  await vi.waitFor(() => expect(currentPrompt()).toBeDefined());
  currentPrompt()?.answer(true);
  expect([await going, action.mock.calls.length, currentPrompt()]).toEqual(['done', 2, undefined]);

  action.mockRejectedValueOnce(refusal('reauthentication_needed'));
  const refused = withReauthentication(action);
  await vi.waitFor(() => expect(currentPrompt()).toBeDefined());
  currentPrompt()?.answer(false);
  await expect(refused).rejects.toMatchObject({ code: 'reauthentication_needed' });

  action.mockRejectedValueOnce(refusal('too_many_enrolled_mfa_factors'));
  await expect(withReauthentication(action)).rejects.toMatchObject({ code: 'too_many_enrolled_mfa_factors' });
  expect(currentPrompt()).toBeUndefined();
});

test('concurrent reauthentication prompts resolve together', async () => {
  const both = Promise.all([reauthenticate(), reauthenticate()]);
  currentPrompt()?.answer(true);
  expect(await both).toEqual([true, true]);
});
