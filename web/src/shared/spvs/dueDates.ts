import type { DocumentRequest, Spv, Step } from '../../api/types';

/** How near a date is: `soon` within three days, `late` once it is past. */
export type Urgency = 'far' | 'soon' | 'late';
export interface Due {
  nearness: Urgency;
  /** Whole days from today; negative when it is past. */
  days: number;
}

/** Neither on hold, closed nor cancelled: the dates of other orders' steps and documents do not count. */
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

/** So many working days after a day; Saturdays and Sundays do not count. As the server counts. */
export function businessDaysAfter(day: string, days: number): string {
  let at = Date.parse(day);
  for (let left = days; left > 0;) {
    at += DAY_MS;
    if (![0, 6].includes(new Date(at).getUTCDay())) left -= 1;
  }
  return new Date(at).toISOString().slice(0, 10);
}

export interface Waiting {
  /** Of the step, or of the document that is asked for. */
  name: string;
  day: string | null;
  on: NonNullable<Step['waiting_on']>;
  /** Why, when somebody said so. */
  reason: string | null;
}

/**
 * Whom an order waits for: what is blocked says so itself; else it is the client while a document is needed of them,
 * one that was sent back first, then by its date; else it is whoever does the next step.
 */
export function waitingFor(steps: Step[], requests: DocumentRequest[]): Waiting | undefined {
  const open = steps.filter((step) => step.status !== 'completed');
  const blocked = open.find(({ status }) => status === 'blocked');
  const asked = requests
    .filter(({ required, status }) => required && (status === 'requested' || status === 'needs_revision'))
    .toSorted((one, other) => (one.due_date ?? '9').localeCompare(other.due_date ?? '9'));
  const request = asked.find(({ status }) => status === 'needs_revision') ?? asked[0];
  if (request && !blocked) {
    return { name: request.name, day: request.due_date, on: 'client', reason: request.reason };
  }
  const step = blocked ?? open.find(({ status }) => status === 'in_progress') ?? open[0];
  return step && { name: step.step_name, day: step.due_date, on: waitingOn(step), reason: step.blocked_reason };
}

export function waitingOn(step: Step): NonNullable<Step['waiting_on']> {
  return (step.status === 'blocked' && step.waiting_on) || step.owner;
}
