import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from './cache';
import { ApiError } from './errors';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  queryClient.clear();
  vi.useRealTimers();
});

const refusal = (status: number) => new ApiError(status, null, null);
/** A query that always fails with this error. */
const failing = (error: Error) => vi.fn(() => Promise.reject(error));
/** Runs the query and ignores its result. */
const ask = (queryFn: () => Promise<unknown>) =>
  void queryClient.fetchQuery({ queryKey: ['asked'], queryFn }).catch(() => undefined);

test.each([
  ['no connection', new TypeError('Failed to fetch')],
  ['a fault of the server', refusal(503)],
])('%s is retried three times with exponential backoff', async (_, error) => {
  const queryFn = failing(error);
  ask(queryFn);
  await vi.advanceTimersByTimeAsync(0);
  expect(queryFn).toHaveBeenCalledTimes(1);
  for (const [n, wait] of [1000, 2000, 4000].entries()) {
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(queryFn).toHaveBeenCalledTimes(n + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(queryFn).toHaveBeenCalledTimes(n + 2);
  }
  await vi.advanceTimersByTimeAsync(600_000);
  expect(queryFn).toHaveBeenCalledTimes(4);
});

test('retry delay is at most 30 seconds', () => {
  const { retryDelay } = queryClient.getDefaultOptions().queries ?? {};
  const wait = (attempt: number) =>
    typeof retryDelay === 'function' ? retryDelay(attempt, new Error('offline')) : undefined;
  expect([0, 1, 4, 5, 20].map(wait)).toEqual([1000, 2000, 16_000, 30_000, 30_000]);
});

test.each([400, 401, 404, 409, 422, 429, 499])('status %i is not retried', async (status) => {
  const queryFn = failing(refusal(status));
  ask(queryFn);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('unused queries are cached for five minutes', async () => {
  ask(() => Promise.resolve('kept'));
  await vi.advanceTimersByTimeAsync(299_999);
  expect(queryClient.getQueryData(['asked'])).toBe('kept');
  await vi.advanceTimersByTimeAsync(1);
  expect(queryClient.getQueryData(['asked'])).toBeUndefined();
});

test('data of a record that is gone is dropped, of one that cannot be reached is kept', async () => {
  const read = (queryKey: string[], error: Error) => {
    queryClient.setQueryData(queryKey, 'last state');
    void queryClient.fetchQuery({ queryKey, queryFn: failing(error), staleTime: 0 }).catch(() => undefined);
  };
  read(['gone'], refusal(404));
  read(['hidden by a fault'], refusal(503));
  await vi.advanceTimersByTimeAsync(8000);
  expect(queryClient.getQueryData(['gone'])).toBeUndefined();
  expect(queryClient.getQueryData(['hidden by a fault'])).toBe('last state');
});
