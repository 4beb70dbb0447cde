import type { Step } from '../../api/types';

/** How near a date is: `soon` within three days, `late` once it is past. */
export type Nearness = 'far' | 'soon' | 'late';
export interface Due {
  nearness: Nearness;
  /** Whole days from today; negative when it is past. */
  days: number;
}

const dayLength = 86_400_000;
const soonDays = 3;

/** Both days as `2026-11-21`. */
export function dueOn(day: string, today: string): Due {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / dayLength);
  if (days < 0) return { nearness: 'late', days };
  return { nearness: days <= soonDays ? 'soon' : 'far', days };
}

/** So many working days after a day; Saturdays and Sundays do not count. As the server counts. */
export function businessDaysAfter(day: string, days: number): string {
  let at = Date.parse(day);
  for (let left = days; left > 0;) {
    at += dayLength;
    if (![0, 6].includes(new Date(at).getUTCDay())) left -= 1;
  }
  return new Date(at).toISOString().slice(0, 10);
}

export interface Waiting {
  step: Step;
  on: NonNullable<Step['waiting_on']>;
  /** Why, when somebody said so. */
  reason: string | null;
}

/** Whom an order waits for: what is blocked says so itself, else it is whoever does the next step. */
export function waitingFor(steps: Step[]): Waiting | undefined {
  const open = steps.filter((step) => step.status !== 'completed');
  const step =
    open.find(({ status }) => status === 'blocked') ??
    open.find(({ status }) => status === 'in_progress') ??
    open[0];
  return step && { step, on: waitsOn(step), reason: step.blocked_reason };
}

export function waitsOn(step: Step): NonNullable<Step['waiting_on']> {
  return (step.status === 'blocked' && step.waiting_on) || step.owner;
}
