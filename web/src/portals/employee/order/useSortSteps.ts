import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { toast } from '../../../ui/toasts';

/** Saves another order of an order's steps, which is on the screen at once and goes back where it is refused. */
export function useSortSteps(spv: SpvDetail): (steps: Step[]) => void {
  const { t } = useTranslation(['employee', 'common']);
  const { queryKey } = queries.spv(spv.id);
  const save = useMutation({
    mutationFn: (steps: Step[]) =>
      body(
        api.POST('/rest/v1/spvs/{id}/steps/order', {
          params: { path: { id: spv.id } },
          body: { ids: steps.map((step) => step.id) },
        }),
      ),
    onMutate: async (steps) => {
      await queryClient.cancelQueries({ queryKey });
      const numbered = steps.map((step, n) => ({ ...step, step_order: n + 1 }));
      queryClient.setQueryData(queryKey, { ...spv, steps: numbered });
    },
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKey, saved);
      toast({ title: t('step.sorted') });
    },
    onError: (error) => {
      toast({ title: t('common:error'), description: errorText(error), destructive: true });
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['spvs'] }),
  });
  return save.mutate;
}
