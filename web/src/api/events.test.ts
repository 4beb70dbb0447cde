import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from './cache';
import { onActivity, startEvents, affectedNouns } from './events';
import type { Activity } from './types';

vi.mock('./client', () => ({ notifyRequirement: async () => undefined }));
vi.mock('./session', () => ({ accessToken: async () => 'token' }));

beforeEach(() => void vi.stubGlobal('navigator', {}));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  queryClient.clear();
});

const isOld = (...queryKey: unknown[]) => queryClient.getQueryState(queryKey)?.isInvalidated;

/** A stream that is ready, then sends the chunks and ends. */
async function listening() {
  let line!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (line = controller) });
  const says = (event: string, data: unknown) =>
    line.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  vi.stubGlobal('fetch', async () => new Response(body));
  const stop = startEvents(async () => true);
  queryClient.setQueryData(['read before'], true);
  says('ready', { seq: 4 });
  // Events before `ready` were missed.
  await vi.waitFor(() => expect(isOld('read before')).toBe(true));
  return {
    hears: (activity: Activity) => says('change', activity),
    end: () => {
      stop();
      line.close();
    },
  };
}

const moved: Activity = {
  id: 'event-5',
  seq: 5,
  at: '2026-03-02T09:00:00Z',
  action: 'step.updated',
  actor: { kind: 'employee', name: 'Elias Employee' },
  subject: { kind: 'step', id: 'step', label: 'SPV-1' },
  spv_id: 'order',
  data: { step_name: 'Tax ID', from: 'pending', to: 'in_progress' },
};

test('event patches the cache at once and refetches only what depends on it', async () => {
  const { hears, end } = await listening();
  const timelineOf = (spv_id: string) => ['activity', { spv_id, limit: 10 }];
  const [timeline, another] = [timelineOf('order'), timelineOf('other')];
  for (const key of [timeline, another, ['activity', 'own']])
    queryClient.setQueryData(key, { pages: [{ items: [] as Activity[] }], pageParams: [undefined] });
  queryClient.setQueryData(['spvs', {}], { pages: [{ items: [] }], pageParams: [undefined] });
  queryClient.setQueryData(['templates'], {});
  const heard = vi.fn<(told: unknown, ordersAreOld: unknown) => void>();
  const stop = onActivity(() => heard(queryClient.getQueryData(timeline), isOld('spvs', {})));
  hears(moved);
  await vi.waitFor(() => expect(isOld('spvs', {})).toBe(true));
  expect(heard).toHaveBeenCalledExactlyOnceWith(
    { pages: [{ items: [moved] }], pageParams: [undefined] },
    false,
  );
  expect([timeline, another, ['templates']].map((key) => isOld(...key))).toEqual([false, false, false]);
  expect(isOld('activity', 'own')).toBe(true);
  stop();
  end();
});

test('noun invalidates what its events invalidate', () => {
  expect(affectedNouns('call')).toEqual(['dashboards', 'notifications', 'calls', 'requests']);
  expect(affectedNouns('call.confirmed')).toEqual(affectedNouns('call'));
  expect(affectedNouns('document.infected')).not.toEqual(affectedNouns('document'));
  for (const action of ['spv.reassigned', 'spv.assigned', 'spv.unassigned'])
    expect(affectedNouns(action)).toEqual(
      expect.arrayContaining([...affectedNouns('spv'), 'companies', 'isos', 'threads']),
    );
  expect(affectedNouns('mail.sent')).toEqual(['dashboards', 'notifications', 'mails']);
});

test('first fetch in flight is repeated after an event', async () => {
  const { hears, end } = await listening();
  let answer!: (value: string) => void;
  const first = new Promise<string>((resolve) => (answer = resolve));
  const queryFn = vi.fn<() => Promise<string>>().mockReturnValueOnce(first).mockResolvedValue('after it');
  const tasks = new QueryObserver(queryClient, { queryKey: ['tasks'], queryFn });
  const leave = tasks.subscribe(() => undefined);
  queryClient.setQueryData(['performance'], {});
  hears(moved);
  await vi.waitFor(() => expect(isOld('performance')).toBe(true));
  answer('before the event');
  await vi.waitFor(() => expect(tasks.getCurrentResult().data).toBe('after it'));
  expect(queryFn).toHaveBeenCalledTimes(2);
  leave();
  end();
});

test('page requested during an event is kept and refetched with the others', async () => {
  const { hears, end } = await listening();
  const asked: number[] = [];
  let answer = () => {};
  const list = new InfiniteQueryObserver(queryClient, {
    queryKey: ['spvs', {}],
    initialPageParam: 1,
    getNextPageParam: (last: number) => last + 1,
    queryFn: async ({ pageParam, signal }) => {
      asked.push(pageParam);
      if (pageParam === 2 && asked.length === 2) await new Promise<void>((done) => void (answer = done));
      signal.throwIfAborted();
      return pageParam;
    },
  });
  const stop = list.subscribe(() => undefined);
  await vi.waitFor(() => expect(list.getCurrentResult().data?.pages).toEqual([1]));
  const more = list.fetchNextPage();
  hears(moved);
  // Longer than the batching delay.
  await new Promise((done) => setTimeout(done, 300));
  expect(asked).toEqual([1, 2]);
  answer();
  await more;
  expect(list.getCurrentResult().data?.pages).toEqual([1, 2]);
  await vi.waitFor(() => expect(asked).toEqual([1, 2, 1, 2]));
  stop();
  end();
});

test('stream without a response times out; a late one is kept', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')));
      if (signals.length === 2) setTimeout(() => resolve(new Response(new ReadableStream())), 30_000);
    });
  });
  const givenUp = () => signals.map(({ aborted }) => aborted);
  const stop = startEvents(async () => true);
  await vi.advanceTimersByTimeAsync(39_000);
  expect(givenUp()).toEqual([false]);
  // Reconnects after two seconds.
  await vi.advanceTimersByTimeAsync(3_500);
  expect(givenUp()).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(65_000);
  expect(givenUp()).toEqual([true, false]);
  stop();
  expect(givenUp()).toEqual([true, true]);
});
