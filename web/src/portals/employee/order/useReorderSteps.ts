import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body, versionedBody } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { toast } from '../../../ui/toasts';

/** Reorders steps optimistically and rolls back on error. */
export function useReorderSteps(spv: SpvDetail): (steps: Step[]) => void {
  const { t } = useTranslation(['employee', 'common']);
  const { queryKey } = queries.spv(spv.id);
  // A second reorder before the first response builds on it.
  const saved = useRef(0);
  const save = useMutation({
    scope: { id: `sort ${spv.id}` },
    mutationFn: ({ steps, seen }: { steps: Step[]; seen: number }) =>
      body(
        api.POST('/rest/v1/spvs/{id}/steps/order', {
          params: versionedBody({ id: spv.id, version: Math.max(seen, saved.current) }),
          body: { ids: steps.map((step) => step.id) },
        }),
      ),
    onMutate: async ({ steps }) => {
      await queryClient.cancelQueries({ queryKey });
      const numbered = steps.map((step, n) => ({ ...step, step_order: n + 1 }));
      queryClient.setQueryData(queryKey, { ...spv, steps: numbered });
    },
    onSuccess: (sorted) => {
      saved.current = sorted.version;
      queryClient.setQueryData(queryKey, sorted);
      toast({ title: t('step.sorted') });
    },
    onError: (error) => {
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['spvs'] }),
  });
  return (steps) => save.mutate({ steps, seen: spv.version });
}
