import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../../api/types';
import { nextStep } from '../../../shared/spvs/nextStep';
import { BusyButton } from '../../../ui/BusyButton';
import type { StatusChange } from '../spvs/useStatusChange';
import classes from './OrderHeader.module.css';
import type { StepActions } from './useStepActions';

export type Next = { kind: 'start' | 'resume' } | { kind: 'complete'; step: Step };

/** The one next action of an order, if the actor may take it: start it, resume it, or complete its next step. */
export function nextAction(spv: SpvDetail): Next | undefined {
  if (spv.can.includes('start')) return { kind: 'start' };
  if (spv.can.includes('resume')) return { kind: 'resume' };
  const step = nextStep(spv);
  return step && step.status !== 'completed' && step.can.includes('update')
    ? { kind: 'complete', step }
    : undefined;
}

interface Props {
  next: Next;
  actions: StepActions;
  change: StatusChange;
}

/** Button of the next action; on phones within reach of the thumb. */
export function NextAction({ next, actions, change }: Props) {
  const { t } = useTranslation('employee');
  const placed = { className: classes.next, 'data-bottom-action': true };
  if (next.kind === 'complete') {
    return (
      <Button {...placed} onClick={() => actions.complete([next.step])}>
        {t('step.complete_next', { name: next.step.step_name })}
      </Button>
    );
  }
  return (
    <BusyButton
      {...placed}
      busy={change.save.isPending && change.asking === null}
      label={t(`spvs.${next.kind}`)}
      busyLabel={t(next.kind === 'start' ? 'spvs.starting' : 'spvs.resuming')}
      onClick={() => change.save.mutate({ action: next.kind })}
    />
  );
}
