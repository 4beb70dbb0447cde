import type { DocumentRequest, Spv, Step } from '../../api/types';

/** Due dates: `soon` within three days, `late` when past. */
export type Urgency = 'far' | 'soon' | 'late';
export interface Due {
  nearness: Urgency;
  /** Days from today; negative when past. */
  days: number;
}

/** Not on hold, closed or cancelled: dates of other orders do not count. */
export function isActive(spv: Pick<Spv, 'status'>): boolean {
  return spv.status === 'pending' || spv.status === 'active' || spv.status === 'processing';
}

const DAY_MS = 86_400_000;
const DUE_SOON_DAYS = 3;

/** Both days as `2026-11-21`. */
export function formatDueDate(day: string, today: string): Due {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / DAY_MS);
  if (days < 0) return { nearness: 'late', days };
  return { nearness: days <= DUE_SOON_DAYS ? 'soon' : 'far', days };
}

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Adds business days, skipping weekends and these public holidays, as the server does. */
export function businessDaysAfter(day: string, days: number, holidays: ReadonlySet<string>): string {
  let at = Date.parse(day);
  for (let left = days; left > 0;) {
    at += DAY_MS;
    if (![0, 6].includes(new Date(at).getUTCDay()) && !holidays.has(isoDay(at))) left -= 1;
  }
  return isoDay(at);
}

export interface Waiting {
  /** Null for a document. */
  stepId: string | null;
  /** Name of the step or document. */
  name: string;
  /** Due date of the step or document. */
  day: string | null;
  on: NonNullable<Step['waiting_on']>;
  /** Optional reason. */
  reason: string | null;
  /** Assignee of the step; null for a document. */
  assignee: Step['assignee'];
}

/**
 * Party that an order waits for: of a blocked step; else the client while documents are needed (returned ones first,
 * then by due date); else the owner of the next step.
 */
export function waitingFor(steps: Step[], requests: DocumentRequest[]): Waiting | undefined {
  const open = steps.filter((step) => step.status !== 'completed');
  const blocked = open.find(({ status }) => status === 'blocked');
  const openRequests = requests
    .filter(({ required, status }) => required && (status === 'requested' || status === 'needs_revision'))
    .toSorted((one, other) => (one.due_date ?? '9').localeCompare(other.due_date ?? '9'));
  const request = openRequests.find(({ status }) => status === 'needs_revision') ?? openRequests[0];
  if (request && !blocked) {
    const { name, due_date: day, reason } = request;
    return { stepId: null, name, day, on: 'client', reason, assignee: null };
  }
  const step = blocked ?? open.find(({ status }) => status === 'in_progress') ?? open[0];
  if (!step) return undefined;
  const { id: stepId, step_name: name, due_date: day, blocked_reason: reason, assignee } = step;
  return { stepId, name, day, on: waitingOn(step), reason, assignee };
}

export function waitingOn(step: Step): NonNullable<Step['waiting_on']> {
  return (step.status === 'blocked' && step.waiting_on) || step.owner;
}
