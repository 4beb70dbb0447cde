import type { Task } from '../../../api/types';
import type { Sort } from '../../../ui/grid/columns';

const valueOf: Record<string, (task: Task) => string> = {
  task: ({ kind, name }) => `${kind} ${name}`,
  client: (task) => task.client_name,
  status: (task) => task.status,
  due: (task) => task.due_at ?? task.due_date ?? '',
};

/** Tasks whose task, order or client contains all words. */
export function findTasks(tasks: Task[], q: string): Task[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tasks;
  return tasks.filter((task) => {
    const text = [task.name, task.step_name, task.vehicle_name, task.spv_identifier, task.client_name]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Tasks by a column, those without a value last; without one in the order of the server: overdue first. */
export function sortTasks(tasks: Task[], sort: Sort | null, language: string): Task[] {
  const value = sort && valueOf[sort.key];
  if (!value) return tasks;
  const collator = new Intl.Collator(language, { numeric: true });
  return tasks.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (!a || !b) return Number(!a) - Number(!b);
    return sort.descending ? collator.compare(b, a) : collator.compare(a, b);
  });
}
