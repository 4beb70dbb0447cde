import { expect, test } from 'vitest';
import type { DocumentRequest, Step } from '../../api/types';
import { businessDaysAfter, formatDueDate, isActive, waitingFor } from './dueDates';

test('date is near within three days and late the day after', () => {
  const due = (day: string) => formatDueDate(day, '2026-11-21');
  expect(due('2026-11-20')).toEqual({ nearness: 'late', days: -1 });
  expect(due('2026-11-21')).toEqual({ nearness: 'soon', days: 0 });
  expect(due('2026-11-24')).toEqual({ nearness: 'soon', days: 3 });
  expect(due('2026-11-25')).toEqual({ nearness: 'far', days: 4 });
});

test('order on hold, closed or cancelled is inactive, so nothing is overdue', () => {
  const statuses = ['pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled'] as const;
  expect(statuses.filter((status) => isActive({ status }))).toEqual(['pending', 'active', 'processing']);
});

test('blocked step names the party waited for, otherwise the next owner', () => {
  const step = (status: Step['status'], owner: Step['owner'], waiting_on: Step['waiting_on'] = null) =>
    ({ status, owner, waiting_on, blocked_reason: waiting_on && 'a stamp' }) as Step;
  const on = (...steps: Step[]) => waitingFor(steps, [])?.on;
  expect(on(step('completed', 'staff'), step('pending', 'client'), step('pending', 'staff'))).toBe('client');
  expect(on(step('pending', 'client'), step('in_progress', 'authority'))).toBe('authority');
  expect(on(step('in_progress', 'staff'), step('blocked', 'staff', 'client'))).toBe('client');
  expect(waitingFor([step('blocked', 'staff', 'iso')], [])?.reason).toBe('a stamp');
  expect(waitingFor([step('completed', 'staff')], [])).toBeUndefined();
});

test('order waits for the client while a document is needed, unless a step is blocked', () => {
  const asked = (
    name: string,
    status: DocumentRequest['status'],
    due_date: string | null = null,
    required = true,
  ) => {
    const reason = status === 'needs_revision' ? 'cut off' : null;
    return { name, status, due_date, required, reason } as DocumentRequest;
  };
  const staffs = { status: 'in_progress', owner: 'staff', step_name: 'Filing', due_date: null } as Step;
  const waits = (...requests: DocumentRequest[]) => waitingFor([staffs], requests);
  const passport = asked('Passport', 'requested', '2026-11-24');
  expect(waits(asked('Deed', 'requested'), passport)).toEqual({
    stepId: null,
    name: 'Passport',
    day: '2026-11-24',
    on: 'client',
    reason: null,
    assignee: null,
  });
  const returned = waits(passport, asked('Deed', 'needs_revision'));
  expect(returned).toMatchObject({ name: 'Deed', on: 'client', reason: 'cut off' });
  const done = [asked('A', 'submitted'), asked('B', 'approved'), asked('C', 'waived')];
  expect(waits(...done, asked('D', 'requested', null, false))).toMatchObject({ name: 'Filing', on: 'staff' });
  const blocked = { ...staffs, status: 'blocked', waiting_on: 'authority' } as Step;
  expect(waitingFor([blocked], [passport])).toMatchObject({ name: 'Filing', on: 'authority' });
  expect(waitingFor([], [passport])?.on).toBe('client');
});

test('business days skip weekends and holidays', () => {
  const none = new Set<string>();
  expect(businessDaysAfter('2026-11-20', 1, none)).toBe('2026-11-23');
  expect(businessDaysAfter('2026-11-20', 6, none)).toBe('2026-11-30');
  expect(businessDaysAfter('2026-11-21', 0, none)).toBe('2026-11-21');
  expect(businessDaysAfter('2026-11-25', 1, new Set(['2026-11-26']))).toBe('2026-11-27');
});
