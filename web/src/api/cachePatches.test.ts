import { QueryClient, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { applyEvent } from './cachePatches';
import { queries } from './queries';
import type { Activity, Role } from './types';

vi.mock('./client', () => ({ api: {}, body: () => undefined }));

let client: QueryClient;

beforeEach(() => {
  client = new QueryClient();
});

function event(seq: number, other: Partial<Activity> = {}): Activity {
  return {
    id: `event-${seq}`,
    seq,
    at: '2026-03-02T09:00:00Z',
    action: 'spv.started',
    actor: { kind: 'employee', name: 'Elias Employee' },
    subject: { kind: 'spv', id: 'order', label: 'SPV-1' },
    spv_id: 'order',
    data: {},
    ...other,
  };
}

const about = (kind: string, id: string, spv_id: string | null = null) => ({
  subject: { kind, id, label: id },
  spv_id,
});
const numbered = (...seqs: number[]) => seqs.map((seq) => event(seq));

function put(key: QueryKey, data: unknown, updatedAt?: number): void {
  client.setQueryData(key, data, { updatedAt });
}

const isSignedIn = (role: Role) => put(queries.me().queryKey, { role });

/** A cached infinite list of events. */
function listed(key: QueryKey, ...pages: number[][]): QueryKey {
  const items = pages.map((seqs) => ({ items: numbered(...seqs), next_cursor: null }));
  put(key, { pages: items, pageParams: pages.map(() => undefined) });
  return key;
}

function seqsOf(key: QueryKey): number[][] | undefined {
  const data = client.getQueryData<InfiniteData<{ items: Activity[] }>>(key);
  return data?.pages.map((page) => page.items.map(({ seq }) => seq));
}

const recent = (key: QueryKey) =>
  client.getQueryData<{ activity: Activity[] }>(key)?.activity.map(({ seq }) => seq);

describe('activity lists', () => {
  test('prepend a new event once where it belongs', () => {
    isSignedIn('client');
    const everything = listed(queries.activity({ limit: 50 }).queryKey, [3, 2], [1]);
    const order = listed(queries.activity({ spv_id: 'order', limit: 10 }).queryKey, []);
    const other = listed(queries.activity({ spv_id: 'other', limit: 10 }).queryKey, [2]);
    for (const seq of [5, 5, 4]) expect(applyEvent(client, event(seq))).toEqual([]);
    expect(seqsOf(everything)).toEqual([[5, 3, 2], [1]]);
    expect(seqsOf(order)).toEqual([[5]]);
    expect(seqsOf(other)).toEqual([[2]]);
  });

  test('of a client apply its own events and are refetched for orders that may belong to it', () => {
    isSignedIn('employee');
    const key = listed(queries.activity({ subject_id: 'ada', limit: 10 }).queryKey, [1]);
    expect(applyEvent(client, event(2, about('client', 'ada')))).toEqual([]);
    expect(applyEvent(client, event(3, about('client', 'bert')))).toEqual([]);
    expect(applyEvent(client, event(4))).toEqual([key]);
    expect(seqsOf(key)).toEqual([[2, 1]]);
  });

  test('are refetched when the event does not determine membership', () => {
    const own = listed(queries.ownActivity().queryKey, [1]);
    expect(applyEvent(client, event(2))).toEqual([own]);
    client.removeQueries({ queryKey: own });

    const everything = listed(queries.activity({ limit: 50 }).queryKey, [1]);
    const [account, request] = [event(2, about('user', 'me')), event(3, about('request', 'wish'))];
    isSignedIn('iso');
    expect([applyEvent(client, account), applyEvent(client, request)]).toEqual([[everything], [everything]]);
    isSignedIn('client');
    expect([applyEvent(client, account), applyEvent(client, request)]).toEqual([[everything], []]);
    expect(seqsOf(everything)).toEqual([[3, 1]]);
  });

  test('are refetched while loading or invalidated', async () => {
    isSignedIn('client');
    const key = listed(queries.activity({ limit: 50 }).queryKey, [1]);
    await client.invalidateQueries({ queryKey: key });
    expect(applyEvent(client, event(2))).toEqual([key]);
    listed(key, [1]);
    client.fetchQuery({ queryKey: key, queryFn: () => new Promise(() => undefined) }).catch(() => undefined);
    await vi.waitFor(() => expect(client.isFetching()).toBe(1));
    expect(applyEvent(client, event(2))).toEqual([key]);
    expect(seqsOf(key)).toEqual([[1]]);
  });

  test('keep their fetch time', () => {
    const key = queries.employeeDashboard().queryKey;
    put(key, { activity: [] }, 1000);
    applyEvent(client, event(1));
    expect(recent(key)).toEqual([1]);
    expect(client.getQueryState(key)?.dataUpdatedAt).toBe(1000);
  });
});

describe('dashboard feeds', () => {
  test('show the newest work at an unchanged length', () => {
    const employee = queries.employeeDashboard().queryKey;
    const desk = queries.requestDesk().queryKey;
    put(employee, { total_clients: 4, activity: numbered(8, 7, 6, 5, 4, 3, 2, 1) });
    put(desk, { activity: numbered(6, 5, 4, 3, 2, 1) });
    applyEvent(client, event(9, about('session', 'other')));
    applyEvent(client, event(9, { action: 'step.overdue' }));
    applyEvent(client, event(9, { action: 'invoice.due_soon', ...about('invoice', 'other') }));
    applyEvent(client, event(10));
    expect(recent(employee)).toEqual([10, 8, 7, 6, 5, 4, 3, 2]);
    applyEvent(client, event(11, about('request', 'wish')));
    expect(recent(employee)?.[0]).toBe(11);
    expect(recent(desk)).toEqual([11, 6, 5, 4, 3, 2]);
    expect(client.getQueryData(employee)?.total_clients).toBe(4);
  });

  test('of a company include only what its admins may see', () => {
    const key = queries.companyDashboard('acme').queryKey;
    put(key, { activity: [] });
    isSignedIn('super_admin');
    applyEvent(client, event(1));
    isSignedIn('company_admin');
    applyEvent(client, event(2, about('request', 'wish')));
    expect(recent(key)).toEqual([]);
    applyEvent(client, event(3));
    expect(recent(key)).toEqual([3]);
  });
});

describe('order and step status', () => {
  const page = queries.spv('order').queryKey;
  const list = queries.spvs({ status: 'pending' }).queryKey;
  const dashboard = queries.clientDashboard().queryKey;
  const tasks = queries.tasks().queryKey;
  const started = event(1, { data: { from: 'pending', to: 'active' } });
  const stepMoved = (from: string, to: string) =>
    event(2, { ...about('step', 'step', 'order'), data: { from, to } });
  const order = (status: string, step: string, next = 'pending') => ({
    id: 'order',
    status,
    steps: [
      { id: 'step', status: step },
      { id: 'next', status: next },
    ],
  });
  const other = { id: 'other', status: 'pending' };

  beforeEach(() => {
    put(page, order('pending', 'pending'));
    put(list, { pages: [{ items: [{ id: 'order', status: 'pending' }, other] }], pageParams: [undefined] });
    put(dashboard, { pending: 2, spvs: [other, { id: 'order', status: 'pending' }], activity: [] });
    put(tasks, { items: [{ id: 'step', status: 'pending' }, other] });
  });

  test('is updated in every cached row', () => {
    isSignedIn('client');
    applyEvent(client, started);
    applyEvent(client, stepMoved('pending', 'in_progress'));
    expect(client.getQueryData(page)).toEqual(order('active', 'in_progress'));
    expect(client.getQueryData(list)?.pages[0]?.items).toEqual([{ id: 'order', status: 'active' }, other]);
    expect(client.getQueryData(dashboard)).toMatchObject({
      pending: 2,
      spvs: [other, { id: 'order', status: 'active' }],
    });
  });

  test('is left alone in newer rows and where more than the status changes', () => {
    isSignedIn('client');
    put(page, order('processing', 'completed'));
    for (const told of [started, stepMoved('pending', 'in_progress'), stepMoved('completed', 'blocked')])
      applyEvent(client, told);
    applyEvent(client, stepMoved('completed', 'in_progress'));
    expect(client.getQueryData(page)).toEqual(order('processing', 'completed'));
    put(page, order('processing', 'blocked'));
    applyEvent(client, stepMoved('blocked', 'in_progress'));
    expect(client.getQueryData(page)).toEqual(order('processing', 'blocked'));
  });

  test('is left to a refetch on the page where staff edit it', () => {
    isSignedIn('employee');
    applyEvent(client, started);
    applyEvent(client, stepMoved('pending', 'in_progress'));
    expect(client.getQueryData(page)).toEqual(order('pending', 'pending'));
    expect(client.getQueryData(list)?.pages[0]?.items[0]?.status).toBe('active');
    expect(client.getQueryData(tasks)?.items[0]?.status).toBe('in_progress');
  });
});
