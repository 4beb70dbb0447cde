import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step, StepChange } from '../../../api/types';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { closesOrder } from '../../../shared/spvs/nextStep';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { toast } from '../../../ui/toasts';
import { BlockForm } from './BlockForm';
import type { StepEdit } from './useOrder';
import { useStepEdits } from './useStepEdits';

type Asking =
  | { kind: 'close'; steps: Step[] }
  | { kind: 'block'; step: Step }
  | { kind: 'reopen'; step: Step; change: StepChange };

export interface StepActions {
  edit: (edit: StepEdit) => void;
  /** Completes these steps; asks first if that closes the order. */
  complete: (steps: Step[]) => void;
  /** Completes an open step, and opens a completed one. */
  toggle: (step: Step) => void;
  setStatus: (step: Step, status: Step['status']) => void;
  /** The question of an action, if it has one. */
  dialog: ReactNode;
}

/** Actions on the steps of an order, with the few questions they need. */
export function useStepActions(spv: SpvDetail): StepActions {
  const { t } = useTranslation(['employee', 'common']);
  const edit = useStepEdits(spv);
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  const setStatus = (step: Step, status: Step['status']) => {
    if (status === 'blocked') setAsking({ kind: 'block', step });
    else if (status === 'completed') complete([step]);
    else if (spv.status === 'closed') setAsking({ kind: 'reopen', step, change: { status } });
    else edit({ steps: [step], change: { status } });
  };
  const complete = (steps: Step[]) => {
    const ids = steps.map((step) => step.id);
    if (closesOrder(spv, ids)) setAsking({ kind: 'close', steps });
    else edit({ steps, change: { status: 'completed' } });
  };
  return {
    edit,
    complete,
    setStatus,
    toggle: (step) => setStatus(step, step.status === 'completed' ? 'pending' : 'completed'),
    dialog: (
      <>
        {asking?.kind === 'close' && (
          <ConfirmDialog
            title={t('bulk.confirm', { count: asking.steps.length })}
            confirmLabel={t('bulk.close')}
            busyLabel={t('common:saving')}
            busy={false}
            onConfirm={() => {
              edit({ steps: asking.steps, change: { status: 'completed' } });
              close();
            }}
            onClose={close}
          >
            {asking.steps.length > 1
              ? t('bulk.closes')
              : t('step.closes', { name: asking.steps[0]?.step_name })}
          </ConfirmDialog>
        )}
        {asking?.kind === 'block' && <BlockForm spv={spv} step={asking.step} onClose={close} />}
        {asking?.kind === 'reopen' && (
          <Reopen spv={spv} step={asking.step} change={asking.change} onClose={close} />
        )}
      </>
    ),
  };
}

/** Changes a step of a closed order, which reopens it and needs a reason. */
function Reopen(props: { spv: SpvDetail; step: Step; change: StepChange; onClose: () => void }) {
  const { t } = useTranslation('employee');
  const { spv, step, change, onClose } = props;
  const save = useSave({
    save: (reason: string) =>
      body(api.PATCH('/rest/v1/steps/{id}', { params: versionedBody(step), body: { ...change, reason } })),
    explain: refetchAll(queries.spv(spv.id).queryKey),
    invalidates: 'step',
    onSaved: (saved) => {
      toast({ title: t('step.updated'), description: saved.step_name });
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t('step.reopen_title', { name: step.step_name })}
      text={t('step.reopens')}
      confirmLabel={t('spvs.reopen')}
      save={save}
      onConfirm={(reason) => save.mutate(reason)}
      onClose={onClose}
    />
  );
}
