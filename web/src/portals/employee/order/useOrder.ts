import { useMutationState, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step, StepChange } from '../../../api/types';

/** A change of steps that the server has not confirmed yet. */
export interface StepEdit {
  steps: Step[];
  change: StepChange;
  /** Assignee of the change, to show. */
  assignee?: Step['assignee'];
  /** Reverts another change, so it is not offered to be undone. */
  isUndo?: boolean;
}

export const stepEditKey = (spvId: string) => ['step edits', spvId];

/** The order as it will be once all edits under way are saved: edits show at once and survive refetches. */
export function useOrder(id: string) {
  const query = useQuery(queries.spv(id));
  const pending = useMutationState({
    filters: { mutationKey: stepEditKey(id), status: 'pending' },
    select: ({ state }) => state.variables as StepEdit,
  });
  const spv = useMemo(
    () => query.data && pending.reduce<SpvDetail>((order, edit) => withEdit(order, edit), query.data),
    [query.data, pending],
  );
  return { ...query, data: spv };
}

function withEdit(spv: SpvDetail, { steps: edited, change, assignee }: StepEdit): SpvDetail {
  const ids = new Set(edited.map((step) => step.id));
  const steps = spv.steps.map((step): Step => {
    if (!ids.has(step.id)) return step;
    return {
      ...step,
      ...(change.status && statusFields(step, change.status)),
      ...(change.due_date !== undefined && { due_date: change.due_date }),
      ...(assignee !== undefined && { assignee }),
    };
  });
  const completed = steps.filter((step) => step.status === 'completed').length;
  const percent = steps.length > 0 ? Math.round((100 * completed) / steps.length) : 0;
  return { ...spv, steps, progress: { completed, total: steps.length, percent } };
}

function statusFields(step: Step, status: Step['status']): Partial<Step> {
  if (status === step.status) return {};
  return {
    status,
    completed_at: status === 'completed' ? new Date().toISOString() : null,
    ...(status !== 'blocked' && { blocked_reason: null, waiting_on: null }),
  };
}
