import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Activity, Me, Role } from './types';

/**
 * What an event itself tells is written at once into what was read before. Nothing is guessed: where it does not follow
 * from the event whether a list has it, the list is read again.
 */

/** Answers which lists of events have to be read again. */
export function applyEvent(client: QueryClient, activity: Activity): QueryKey[] {
  const role = client.getQueryData<Me>(['me'])?.role;
  updateStatus(client, activity, role);
  addToDashboards(client, activity, role);
  return addToLists(client, activity, role);
}

/** What is just being read, or has to be, is left to that: nobody knows whether it is older than the event. */
function isIdle({ state }: Query): boolean {
  return state.status === 'success' && state.fetchStatus === 'idle' && !state.isInvalidated;
}

function setData(client: QueryClient, query: Query, data: unknown): void {
  // Read again when it would have been: an event tells only of itself.
  client.setQueryData(query.queryKey, data, { updatedAt: query.state.dataUpdatedAt });
}

/** Before the others, unless they were read after it: whoever found a newer one there found this one, too. */
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
    // The page becomes longer: what fell out of it would be on no page, as the next one begins after its last.
    const longer = { ...first, items: prependNewer(activity, first.items) };
    setData(client, query, { ...data, pages: [longer, ...rest] });
  }
  return unknown;
}

/** Whether a list of events has this one; undefined when the event does not tell. */
function belongsToList(list: unknown, activity: Activity, role: Role | undefined): boolean | undefined {
  // Somebody's own: an event does not say by whose account it was done.
  if (typeof list !== 'object' || list === null) return undefined;
  const { spv_id, subject_id } = list as { spv_id?: string; subject_id?: string };
  if (spv_id && activity.spv_id !== spv_id) return false;
  if (subject_id && activity.subject.id !== subject_id) {
    // The order may be one of this client, company or partner.
    return activity.spv_id ? undefined : false;
  }
  if (isStaff(role)) return true;
  // Beside what lists have, people hear of their own account and of what they asked for.
  const { kind } = activity.subject;
  return kind === 'user' || (kind === 'request' && role !== 'client') ? undefined : true;
}

/** What dashboards call work, as the server has it. */
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
const isWorkKind = (kind: string) => WORK_KINDS.includes(kind);

/** Where the newest events stand beside figures, and how many. */
const DASHBOARD_FEEDS: { queryKey: QueryKey; length: number; has: (kind: string, role?: Role) => boolean }[] = [
  { queryKey: ['dashboards', 'client'], length: 5, has: isWorkKind },
  { queryKey: ['dashboards', 'employee'], length: 8, has: isWorkKind },
  {
    queryKey: ['dashboards', 'company'],
    length: 8,
    // Super admins hear of every company; a request is its sender's and not the company's.
    has: (kind, role) => role === 'company_admin' && kind !== 'request' && isWorkKind(kind),
  },
  { queryKey: ['requests', 'desk'], length: 6, has: (kind) => kind === 'request' },
];

function addToDashboards(client: QueryClient, activity: Activity, role: Role | undefined): void {
  for (const { queryKey, length, has } of DASHBOARD_FEEDS) {
    if (!has(activity.subject.kind, role)) continue;
    for (const query of client.getQueryCache().findAll({ queryKey, predicate: isIdle })) {
      const data = query.state.data as { activity: Activity[] };
      setData(client, query, { ...data, activity: prependNewer(activity, data.activity).slice(0, length) });
    }
  }
}

/** Gives an order or a step its new status wherever it stands. */
function updateStatus(client: QueryClient, { subject, data }: Activity, role: Role | undefined): void {
  const { from, to } = data;
  if (!['spv', 'step'].includes(subject.kind) || typeof to !== 'string' || from === to) return;
  // Why it is blocked and by whom, and when it was completed, is read with it.
  if (to === 'blocked' || from === 'blocked' || from === 'completed') return;
  for (const noun of ['spvs', 'tasks', 'dashboards']) {
    for (const query of client.getQueryCache().findAll({ queryKey: [noun], predicate: isIdle })) {
      // Staff change orders from their pages, and send the version with it, which the event does not tell.
      const mayChange = noun === 'spvs' && typeof query.queryKey[1] === 'string' && (!role || isStaff(role));
      if (!mayChange) setData(client, query, withStatus(query.state.data, subject.id, from, to));
    }
  }
}

/** A row that stands elsewhere than where the event has it from was read after it, and stays. */
function withStatus(value: unknown, id: string | null, from: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withStatus(one, id, from, to));
  if (typeof value !== 'object' || value === null) return value;
  const row: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withStatus(one, id, from, to)]),
  );
  return row.id === id && row.status === from ? { ...row, status: to } : row;
}
