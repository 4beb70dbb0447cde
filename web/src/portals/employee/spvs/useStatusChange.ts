import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { SpvDetail } from '../../../api/types';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { toast } from '../../../ui/toasts';

export type ReasonAction = 'hold' | 'cancel' | 'reopen';
type ActionInput = { action: 'start' | 'resume' } | { action: ReasonAction; reason: string };

function runAction(spv: SpvDetail, input: ActionInput): Promise<SpvDetail> {
  const params = versionedBody(spv);
  switch (input.action) {
    case 'start':
      return body(api.POST('/rest/v1/spvs/{id}/start', { params, body: {} }));
    case 'resume':
      return body(api.POST('/rest/v1/spvs/{id}/resume', { params, body: {} }));
    case 'hold':
      return body(api.POST('/rest/v1/spvs/{id}/hold', { params, body: { reason: input.reason } }));
    case 'cancel':
      return body(api.POST('/rest/v1/spvs/{id}/cancel', { params, body: { reason: input.reason } }));
    case 'reopen':
      return body(api.POST('/rest/v1/spvs/{id}/reopen', { params, body: { reason: input.reason } }));
  }
}

export type StatusChange = ReturnType<typeof useStatusChange>;

/** Changes the status of an order; `asking` is the action whose reason is asked for. */
export function useStatusChange(spv: SpvDetail) {
  const { t } = useTranslation(['employee', 'names']);
  const [asking, setAsking] = useState<ReasonAction | null>(null);
  const save = useSave({
    save: (input: ActionInput) => runAction(spv, input),
    explain: refetchAll(['spvs']),
    invalidates: 'spv',
    onSaved: (changed) => {
      setAsking(null);
      queryClient.setQueryData(queries.spv(spv.id).queryKey, changed);
      const status = t(`names:spv_status.${changed.status}`);
      toast({ title: t('spvs.status_updated'), description: t('spvs.status_changed', { status }) });
    },
  });
  return { save, asking, setAsking };
}
