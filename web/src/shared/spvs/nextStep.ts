import type { SpvDetail, Step } from '../../api/types';

/** The step to work on: the first open one that waits for no other, one in progress before others. */
export function nextStep({ steps }: Pick<SpvDetail, 'steps'>): Step | undefined {
  const open = steps.filter((step) => step.status !== 'completed');
  const isOpen = new Set(open.map((step) => step.id));
  const free = open.filter((step) => !step.depends_on.some((id) => isOpen.has(id)));
  return free.find((step) => step.status === 'in_progress') ?? free[0] ?? open[0];
}

/** Whether completing these steps closes the order, which mails the client. */
export function closesOrder({ status, steps }: SpvDetail, ids: readonly string[]): boolean {
  if (status === 'closed') return false;
  return steps.every((step) => step.status === 'completed' || ids.includes(step.id));
}
