import { expect, test } from 'vitest';
import type { Task } from '../../../api/types';
import { findTasks, sortTasks } from './taskOrder';

const task = (name: string, client_name: string, due_date: string | null, more: Partial<Task> = {}) =>
  ({ kind: 'step', name, client_name, due_date, due_at: null, status: 'pending', ...more }) as Task;
const tasks = [
  task('Bank account', 'Émile Roy', '2026-12-01', { vehicle_name: 'Okafor Maritime' }),
  task('Notary', 'Ada Lund', null),
  task('Agent', 'Zoe Park', '2026-11-20', { spv_identifier: 'SPV-2026-007' }),
];
const names = (found: Task[]) => found.map(({ name }) => name);

test('search finds all words in task, order and client', () => {
  expect(names(findTasks(tasks, ' okafor bank '))).toEqual(['Bank account']);
  expect(names(findTasks(tasks, '2026-007'))).toEqual(['Agent']);
  expect(names(findTasks(tasks, 'lund bank'))).toEqual([]);
  expect(findTasks(tasks, '')).toBe(tasks);
});

test('sorts by column in the language of the user, tasks without a date last in both directions', () => {
  expect(names(sortTasks(tasks, { key: 'client', descending: false }, 'en'))).toEqual([
    'Notary',
    'Bank account',
    'Agent',
  ]);
  const due = (descending: boolean) => names(sortTasks(tasks, { key: 'due', descending }, 'en'));
  expect(due(false)).toEqual(['Agent', 'Bank account', 'Notary']);
  expect(due(true)).toEqual(['Bank account', 'Agent', 'Notary']);
  expect(sortTasks(tasks, null, 'en')).toBe(tasks);
  expect(sortTasks(tasks, { key: 'unknown', descending: true }, 'en')).toBe(tasks);
});
