import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Activity, Me, Role } from './types';

/**
 * Cache patches: applies an event to cached queries. Lists whose membership does not follow from the event are
 * refetched.
 */

/** Returns the keys of event lists that must be refetched. */
export function applyEvent(client: QueryClient, activity: Activity): QueryKey[] {
  const role = client.getQueryData<Me>(['me'])?.role;
  updateStatus(client, activity, role);
  addToDashboards(client, activity, role);
  return addToLists(client, activity, role);
}

/** Queries being fetched or invalidated are skipped: their data may be older or newer than the event. */
function isIdle({ state }: Query): boolean {
  return state.status === 'success' && state.fetchStatus === 'idle' && !state.isInvalidated;
}

function setData(client: QueryClient, query: Query, data: unknown): void {
  // Keeps the fetch time, so the query becomes stale as usual: the event covers itself only.
  client.setQueryData(query.queryKey, data, { updatedAt: query.state.dataUpdatedAt });
}

/** Prepends an event unless the list was fetched after it; a newer first row implies that it is included. */
function prependNewer(activity: Activity, rows: Activity[]): Activity[] {
  const first = rows[0];
  return first && first.seq >= activity.seq ? rows : [activity, ...rows];
}

function isStaff(role: Role | undefined): boolean {
  return role === 'employee' || role === 'super_admin';
}

function addToLists(client: QueryClient, activity: Activity, role: Role | undefined): QueryKey[] {
  const unknown: QueryKey[] = [];
  for (const query of client.getQueryCache().findAll({ queryKey: ['activity'] })) {
    const belongs = belongsToList(query.queryKey[1], activity, role);
    if (belongs === false) continue;
    const data = query.state.data as InfiniteData<{ items: Activity[] }> | undefined;
    const [first, ...rest] = data?.pages ?? [];
    if (!belongs || !data || !first || !isIdle(query)) {
      unknown.push(query.queryKey);
      continue;
    }
    // The page grows: dropping its last row would lose it, because the next page starts after that row.
    const longer = { ...first, items: prependNewer(activity, first.items) };
    setData(client, query, { ...data, pages: [longer, ...rest] });
  }
  return unknown;
}

/** Whether an event belongs to a list; undefined if the event does not say. */
function belongsToList(list: unknown, activity: Activity, role: Role | undefined): boolean | undefined {
  // A list by account: events do not contain the account id.
  if (typeof list !== 'object' || list === null) return undefined;
  const { spv_id, subject_id } = list as { spv_id?: string; subject_id?: string };
  if (spv_id && activity.spv_id !== spv_id) return false;
  if (subject_id && activity.subject.id !== subject_id) {
    // The order may belong to this client, company or partner.
    return activity.spv_id ? undefined : false;
  }
  if (isStaff(role)) return true;
  // Events about the own account and own requests reach users outside of their lists.
  const { kind } = activity.subject;
  return kind === 'user' || (kind === 'request' && role !== 'client') ? undefined : true;
}

/** Subject kinds of the events that dashboards list. These and [isReminder] are the rule of `WORK` on the server. */
const WORK_KINDS = [
  'client',
  'company',
  'iso',
  'spv',
  'step',
  'request',
  'document',
  'document_request',
  'invoice',
  'thread',
];
const isReminder = (action: string) => action.endsWith('.due_soon') || action.endsWith('.overdue');
const isWork = ({ subject, action }: Activity) => WORK_KINDS.includes(subject.kind) && !isReminder(action);

/** Dashboard queries that include the latest events, and how many. */
const DASHBOARD_FEEDS: {
  queryKey: QueryKey;
  length: number;
  has: (event: Activity, role?: Role) => boolean;
}[] = [
  { queryKey: ['dashboards', 'client'], length: 5, has: isWork },
  { queryKey: ['dashboards', 'employee'], length: 8, has: isWork },
  {
    queryKey: ['dashboards', 'company'],
    length: 8,
    // Super admins receive events of every company; requests belong to their sender, not the company.
    has: (event, role) => role === 'company_admin' && event.subject.kind !== 'request' && isWork(event),
  },
  { queryKey: ['requests', 'desk'], length: 6, has: ({ subject }) => subject.kind === 'request' },
];

function addToDashboards(client: QueryClient, activity: Activity, role: Role | undefined): void {
  for (const { queryKey, length, has } of DASHBOARD_FEEDS) {
    if (!has(activity, role)) continue;
    for (const query of client.getQueryCache().findAll({ queryKey, predicate: isIdle })) {
      const data = query.state.data as { activity: Activity[] };
      setData(client, query, { ...data, activity: prependNewer(activity, data.activity).slice(0, length) });
    }
  }
}

/** Updates the status of an order or step in every cached row. */
function updateStatus(client: QueryClient, { subject, data }: Activity, role: Role | undefined): void {
  const { from, to } = data;
  if (!['spv', 'step'].includes(subject.kind) || typeof to !== 'string' || from === to) return;
  // Blocking reason, party and completion time are refetched with the status.
  if (to === 'blocked' || from === 'blocked' || from === 'completed') return;
  for (const noun of ['spvs', 'tasks', 'dashboards']) {
    for (const query of client.getQueryCache().findAll({ queryKey: [noun], predicate: isIdle })) {
      // Staff edit orders on their pages with a version that the event does not contain.
      const mayChange = noun === 'spvs' && typeof query.queryKey[1] === 'string' && (!role || isStaff(role));
      if (!mayChange) setData(client, query, withStatus(query.state.data, subject.id, from, to));
    }
  }
}

/** Only rows in the previous status of the event change: others were fetched after it. */
function withStatus(value: unknown, id: string | null, from: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withStatus(one, id, from, to));
  if (typeof value !== 'object' || value === null) return value;
  const row: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withStatus(one, id, from, to)]),
  );
  return row.id === id && row.status === from ? { ...row, status: to } : row;
}
