import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body, versionedBody } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { affectedNouns } from '../../../api/events';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step, StepChange } from '../../../api/types';
import { toast } from '../../../ui/toasts';
import { stepEditKey, type StepEdit } from './useOrder';

/** Versions of orders and steps after our own edits: a second edit before the refetch builds on the first. */
const savedVersions = new Map<string, number>();

function latest({ id, version }: { id: string; version: number }) {
  return versionedBody({ id, version: Math.max(version, savedVersions.get(id) ?? 0) });
}

/** Several steps are completed all or none; other changes are made one after the other. */
async function saveAll(spv: SpvDetail, { steps, change }: StepEdit): Promise<SpvDetail['status']> {
  if (steps.length > 1 && change.status === 'completed') {
    const detail = await body(
      api.POST('/rest/v1/spvs/{id}/steps/complete', {
        params: latest(spv),
        body: { ids: steps.map((step) => step.id) },
      }),
    );
    for (const row of [detail, ...detail.steps]) savedVersions.set(row.id, row.version);
    queryClient.setQueryData(queries.spv(spv.id).queryKey, detail);
    return detail.status;
  }
  let { status } = spv;
  for (const step of steps) {
    const { spv: order, ...saved } = await body(
      api.PATCH('/rest/v1/steps/{id}', { params: latest(step), body: change }),
    );
    status = order.status;
    for (const row of [order, saved]) savedVersions.set(row.id, row.version);
    queryClient.setQueryData(queries.spv(spv.id).queryKey, (before) => {
      const put = (known: Step) => (known.id === saved.id ? saved : known);
      return before && { ...before, ...order, steps: before.steps.map(put) };
    });
  }
  return status;
}

/** The change that makes a step what it was. */
function reverse(step: Step, change: StepChange): StepChange {
  return {
    ...(change.status && { status: step.status }),
    ...(change.status &&
      step.status === 'blocked' && { blocked_reason: step.blocked_reason, waiting_on: step.waiting_on }),
    ...(change.due_date !== undefined && { due_date: step.due_date }),
    ...(change.assignee_id !== undefined && { assignee_id: step.assignee?.id ?? null }),
  };
}

/** Edits steps at once, with Undo in the toast. An undo is an edit as any other: the log has both. */
export function useStepEdits(spv: SpvDetail): (edit: StepEdit) => void {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const save = useMutation({
    mutationKey: stepEditKey(spv.id),
    scope: { id: `steps ${spv.id}` },
    mutationFn: (edit: StepEdit) => saveAll(spv, edit),
    onSuccess: (status, edit) => {
      const closed = status === 'closed' && spv.status !== 'closed';
      toast({
        title: edit.isUndo ? t('step.undone') : title(edit),
        description: closed
          ? t('spvs.status_changed', { status: t(`names:spv_status.${status}`) })
          : edit.steps.map((step) => step.step_name).join(', '),
        // A closed order is reopened by a super admin, with a reason.
        action: edit.isUndo || closed ? undefined : { label: t('common:undo'), run: () => undo(edit) },
      });
    },
    onError: (error) => {
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
    },
    onSettled: () => {
      for (const noun of affectedNouns('step')) void queryClient.invalidateQueries({ queryKey: [noun] });
    },
  });
  const title = ({ steps, change }: StepEdit) =>
    steps.length > 1 && change.status === 'completed'
      ? t('bulk.done', { count: steps.length })
      : t('step.updated');
  const undo = ({ steps, change }: StepEdit) => {
    for (const step of steps.toReversed()) {
      save.mutate({ steps: [step], change: reverse(step, change), assignee: step.assignee, isUndo: true });
    }
  };
  return save.mutate;
}
