import { hashKey, type Query, type QueryFilters, type QueryKey } from '@tanstack/react-query';
import { basePath, toPublicPath } from '../basePath';
import { queryClient } from './cache';
import { notifyRequirement } from './client';
import { trackedFetch } from './connection';
import { currentImpersonation } from './impersonation';
import { applyEvent } from './cachePatches';
import { accessToken } from './session';
import { parseEventStream, HEARTBEAT_TIMEOUT_MS } from './sse';
import type { Activity } from './types';

/**
 * Live updates over server-sent events. One stream per browser: the tab that holds the lock reads it and broadcasts to
 * the others. Events are applied to the query cache at once; dependent queries are refetched. Without a stream, every
 * reconnect attempt refetches what is on the screen, which amounts to slow polling.
 */

type Message =
  | { kind: 'activity'; activity: Activity }
  /** The stream is open and covers every event after this number. */
  | { kind: 'ready'; seq: number }
  | { kind: 'refresh' };
type Listener = (activity: Activity) => void;

/** During impersonation a tab has its own channel, because it gets the events of that user. */
const channelName = () => [`spv-events${basePath}`, currentImpersonation()?.user].filter(Boolean).join('-');
const MAX_RECONNECT_DELAY_MS = 30_000;
const listeners = new Set<Listener>();
let lastSeq: number | undefined;

/** Subscribes to every event visible to the user, in every tab. */
export function onActivity(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts the event stream of the signed-in user once `mayHear` allows; returns a stop function. */
export function startEvents(mayHear: () => Promise<boolean>): () => void {
  const stop = new AbortController();
  const name = channelName();
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
  const broadcast = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  const lead = () => runStream(broadcast, mayHear, stop.signal);
  // Locks need a secure context; without one each tab reads its own stream.
  const leading = navigator.locks ? navigator.locks.request(name, { signal: stop.signal }, lead) : lead();
  leading.catch(() => undefined);
  return () => {
    stop.abort();
    channel.close();
    lastSeq = undefined;
  };
}

async function runStream(
  broadcast: (message: Message) => void,
  mayHear: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let ready = false;
    try {
      for await (const event of stream(mayHear, signal)) {
        if (event.event === 'ready') {
          ready = true;
          broadcast({ kind: 'ready', seq: (JSON.parse(event.data) as { seq: number }).seq });
        } else if (event.event === 'change') {
          broadcast({ kind: 'activity', activity: JSON.parse(event.data) as Activity });
        }
      }
    } catch {
      // Any failure is followed by the backoff below.
    }
    if (signal.aborted) return;
    failures = ready ? 0 : failures + 1;
    if (!ready) broadcast({ kind: 'refresh' });
    await wait(Math.min(1000 * 2 ** failures, MAX_RECONNECT_DELAY_MS), signal);
  }
}

async function* stream(mayHear: () => Promise<boolean>, signal: AbortSignal) {
  const token = await accessToken();
  if (!token || !(await mayHear())) return;
  const headers = new Headers({ accept: 'text/event-stream', authorization: `Bearer ${token}` });
  if (lastSeq !== undefined) headers.set('last-event-id', String(lastSeq));
  // A request without a response times out like a silent stream; from the first byte on the heartbeat timeout applies.
  const opening = new AbortController();
  const late = setTimeout(() => opening.abort(), HEARTBEAT_TIMEOUT_MS);
  const response = await trackedFetch(toPublicPath('/realtime/v1/events'), {
    headers,
    signal: AbortSignal.any([signal, opening.signal]),
    cache: 'no-store',
  }).finally(() => clearTimeout(late));
  if (response.status === 403) await notifyRequirement(response.clone());
  if (!response.ok || !response.body) throw new Error(`events: ${response.status}`);
  yield* parseEventStream(response.body);
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function receive(message: Message): void {
  if (message.kind !== 'activity') {
    // Changes between the first fetch of a page and `ready` were missed.
    const unheard = message.kind === 'refresh' || lastSeq === undefined;
    if (unheard) void refetch({ predicate: (query) => query.state.dataUpdatedAt > 0 });
    if (message.kind === 'ready') lastSeq = message.seq;
    return;
  }
  const { activity } = message;
  if (lastSeq !== undefined && activity.seq <= lastSeq) return;
  lastSeq = activity.seq;
  for (const noun of affectedNouns(activity.action)) invalidateStale([noun]);
  for (const list of applyEvent(queryClient, activity)) invalidateStale(list);
  for (const listener of listeners) listener(activity);
}

/** Aggregates of orders, invoices and commissions. */
const AGGREGATE_NOUNS = ['finances', 'analytics', 'reports'];

/** Requests and uploads depend on the order. */
const ORDER_NOUNS = [
  'spvs',
  'clients',
  'invoices',
  'document_requests',
  'documents',
  'tasks',
  'performance',
  'commissions',
  ...AGGREGATE_NOUNS,
];

const PARTY_NOUNS = [...ORDER_NOUNS, 'companies', 'isos', 'requests', 'threads'];

const NOUN_DEPENDENCIES = {
  client: ['clients', 'spvs'],
  company: ['companies', 'clients', 'isos', 'spvs'],
  iso: ['isos', 'clients', 'spvs', 'users'],
  // A call is also a request.
  call: ['calls', 'requests'],
  commission: ['commissions', ...AGGREGATE_NOUNS],
  payout_run: ['commissions', ...AGGREGATE_NOUNS],
  lead: ['leads', 'requests'],
  invoice: ['invoices', ...AGGREGATE_NOUNS],
  request: ['requests', 'documents', 'tasks'],
  spv: ORDER_NOUNS,
  // Other parties: what counts their orders, and the conversations about it.
  'spv.reassigned': PARTY_NOUNS,
  'spv.assigned': PARTY_NOUNS,
  'spv.unassigned': PARTY_NOUNS,
  // Not the reports: they aggregate everything, and steps change all day.
  step: ['spvs', 'clients', 'tasks', 'performance', 'analytics'],
  report_schedule: ['report_schedules'],
  document: ['documents'],
  // Its attachments can no longer be opened either.
  'document.infected': ['documents', 'threads', 'invoices', 'requests'],
  document_request: ['document_requests', 'documents', 'tasks'],
  session: ['security', 'users'],
  sign_in: ['security', 'users'],
  factor: ['security', 'me'],
  recovery_codes: ['security'],
  identity: ['security'],
  mail: ['mails'],
  import: ['imports', 'companies', 'isos', 'users', ...ORDER_NOUNS],
  user: ['me', 'clients', 'isos', 'security', 'staff', 'users'],
  settings: ['settings'],
  maintenance: ['settings'],
  address: ['rules'],
  approval: ['approvals', 'commissions'],
  holiday: ['holidays'],
  service: ['services'],
  keys: ['rules'],
  template: ['templates'],
  message: ['threads'],
  note: ['threads'],
  alert: ['alerts'],
  scan: ['scans'],
  backup: ['backups'],
  seed: ['clients', 'companies', 'isos', 'spvs'],
} satisfies Record<string, string[]>;

export type Noun = keyof typeof NOUN_DEPENDENCIES;

/** Query keys to refetch after an event, or after any change of a noun. */
export function affectedNouns(action: string): string[] {
  // Reading a document changes nothing.
  if (action === 'document.opened' || action === 'document.downloaded') return [];
  const known: Record<string, string[] | undefined> = NOUN_DEPENDENCIES;
  const [noun = ''] = action.split('.');
  return ['dashboards', 'notifications', ...(known[action] ?? known[noun] ?? [])];
}

// Debounced: a seed or import sends hundreds of events, which refetch a page once.
const staleNouns = new Map<string, QueryKey>();
let flushScheduled: ReturnType<typeof setTimeout> | undefined;
function invalidateStale(queryKey: QueryKey): void {
  staleNouns.set(hashKey(queryKey), queryKey);
  flushScheduled ??= setTimeout(() => {
    flushScheduled = undefined;
    for (const key of staleNouns.values()) void refetch({ queryKey: key });
    staleNouns.clear();
  }, 150);
}

/** A first fetch, or the next page of a list: refetching would cancel it. */
const isFirstFetch = ({ state }: Query) =>
  state.fetchStatus === 'fetching' && (state.data === undefined || state.fetchMeta?.fetchMore !== undefined);

/** Fetches in flight are not cancelled, but may predate the event, so they are repeated afterwards. */
async function refetch({ predicate = () => true, ...filters }: QueryFilters): Promise<void> {
  const underWay = queryClient
    .getQueryCache()
    .findAll({ ...filters, predicate })
    .filter(isFirstFetch);
  await queryClient.invalidateQueries({
    ...filters,
    predicate: (query) => predicate(query) && !underWay.includes(query),
  });
  if (underWay.length === 0) return;
  await Promise.allSettled(underWay.map((query) => query.promise));
  await refetch({ predicate: (query) => underWay.includes(query) && query.state.data !== undefined });
}
