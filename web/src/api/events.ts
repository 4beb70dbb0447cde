import { hashKey, type Query, type QueryFilters, type QueryKey } from '@tanstack/react-query';
import { queryClient } from './cache';
import { notifyRequirement } from './client';
import { trackedFetch } from './connection';
import { currentImpersonation } from './impersonation';
import { applyEvent } from './cachePatches';
import { accessToken } from './session';
import { parseEventStream, HEARTBEAT_TIMEOUT_MS } from './sse';
import type { Activity } from './types';

/**
 * Live changes. One stream per browser: the tab that holds the lock reads it and tells the others. What an event tells
 * is written at once into what was read; what follows from it is read again. While the stream cannot be had, every
 * attempt to get it refreshes what is on the screen, so that pages fall back to slow polling.
 */

type Message =
  | { kind: 'activity'; activity: Activity }
  /** The stream is there, and tells of everything after this number. */
  | { kind: 'ready'; seq: number }
  | { kind: 'refresh' };
type Listener = (activity: Activity) => void;

/** Whoever looks as somebody else hears what that person hears, and tells no other tab of it. */
const channelName = () => ['spv-events', currentImpersonation()?.user].filter(Boolean).join('-');
const MAX_RECONNECT_DELAY_MS = 30_000;
const listeners = new Set<Listener>();
let lastSeq: number | undefined;

/** Hears every change this person may see, in every tab. */
export function onActivity(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts listening for the signed-in person, whenever they may hear anything; the answer stops it. */
export function startEvents(mayHear: () => Promise<boolean>): () => void {
  const stop = new AbortController();
  const name = channelName();
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
  const tell = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  const lead = () => runStream(tell, mayHear, stop.signal);
  // Without a secure context there are no locks: then each tab reads its own stream.
  const leading = navigator.locks ? navigator.locks.request(name, { signal: stop.signal }, lead) : lead();
  leading.catch(() => undefined);
  return () => {
    stop.abort();
    channel.close();
    lastSeq = undefined;
  };
}

async function runStream(
  tell: (message: Message) => void,
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
          tell({ kind: 'ready', seq: (JSON.parse(event.data) as { seq: number }).seq });
        } else if (event.event === 'change') {
          tell({ kind: 'activity', activity: JSON.parse(event.data) as Activity });
        }
      }
    } catch {
      // The pause below answers every failure alike.
    }
    if (signal.aborted) return;
    failures = ready ? 0 : failures + 1;
    if (!ready) tell({ kind: 'refresh' });
    await wait(Math.min(1000 * 2 ** failures, MAX_RECONNECT_DELAY_MS), signal);
  }
}

async function* stream(mayHear: () => Promise<boolean>, signal: AbortSignal) {
  const token = await accessToken();
  if (!token || !(await mayHear())) return;
  const headers = new Headers({ accept: 'text/event-stream', authorization: `Bearer ${token}` });
  if (lastSeq !== undefined) headers.set('last-event-id', String(lastSeq));
  // Who does not answer at all is given up like a line that fell silent; from its first word on, that limit counts.
  const opening = new AbortController();
  const late = setTimeout(() => opening.abort(), HEARTBEAT_TIMEOUT_MS);
  const response = await trackedFetch('/realtime/v1/events', {
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
    // What changed between a page's first read and the stream's first word was not heard.
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

/** What is summed of orders, invoices and commissions. */
const AGGREGATE_NOUNS = ['finances', 'analytics', 'reports'];

const NOUN_DEPENDENCIES = {
  client: ['clients', 'spvs'],
  company: ['companies', 'clients', 'isos', 'spvs'],
  iso: ['isos', 'clients', 'spvs'],
  // Their requests follow them.
  call: ['calls', 'requests'],
  commission: ['commissions', ...AGGREGATE_NOUNS],
  payout_run: ['commissions', ...AGGREGATE_NOUNS],
  lead: ['leads', 'requests'],
  invoice: ['invoices', ...AGGREGATE_NOUNS],
  request: ['requests', 'documents', 'tasks'],
  // What may be asked and sent in follows the order.
  spv: [
    'spvs',
    'clients',
    'invoices',
    'document_requests',
    'documents',
    'tasks',
    'performance',
    'commissions',
    ...AGGREGATE_NOUNS,
  ],
  // Not the reports: the first page of one sums all of it, and steps move all day.
  step: ['spvs', 'clients', 'tasks', 'performance', 'analytics'],
  report_schedule: ['report_schedules'],
  document: ['documents'],
  // It can no longer be opened where it hangs either.
  'document.infected': ['documents', 'threads', 'invoices', 'requests'],
  document_request: ['document_requests', 'documents', 'tasks'],
  session: ['security', 'users'],
  sign_in: ['security', 'users'],
  factor: ['security', 'me'],
  recovery_codes: ['security'],
  identity: ['security'],
  user: ['me', 'clients', 'security', 'staff', 'users'],
  settings: ['settings'],
  maintenance: ['settings'],
  address: ['rules'],
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

/** What is to be read again after an event, or after anything that happened to a noun. */
export function affectedNouns(action: string): string[] {
  // Somebody read a document: nothing has changed by it.
  if (action === 'document.opened' || action === 'document.downloaded') return [];
  const known: Record<string, string[] | undefined> = NOUN_DEPENDENCIES;
  const [noun = ''] = action.split('.');
  return ['dashboards', 'notifications', ...(known[action] ?? known[noun] ?? [])];
}

// A seed or an import makes hundreds of events at once: they refresh a page once, not hundreds of times.
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

/** A first read, or a further page that somebody asked for: to begin it anew would be to lose it. */
const isFirstFetch = ({ state }: Query) =>
  state.fetchStatus === 'fetching' && (state.data === undefined || state.fetchMeta?.fetchMore !== undefined);

/** What is under way is not begun anew, but may be from before the event: then it is done once more. */
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
