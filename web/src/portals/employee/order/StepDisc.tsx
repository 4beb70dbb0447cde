import { UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Step } from '../../../api/types';
import classes from './StepDisc.module.css';

interface Props {
  step: Step;
  /** Without it the disc only shows the state. */
  onToggle?: () => void;
}

/** State of a step as a disc, which completes the step or opens it again. */
export function StepDisc({ step, onToggle }: Props) {
  const { t } = useTranslation('employee');
  const completed = step.status === 'completed';
  const face = (
    // The number is drawn by CSS: as text it would have to be part of the button's name.
    <span
      className={classes.disc}
      data-status={step.status}
      data-number={completed ? undefined : step.step_order}
      aria-hidden="true"
    >
      {completed && <IconCheck size={14} stroke={2.5} />}
      <IconCheck className={classes.preview} size={14} stroke={2.5} />
    </span>
  );
  if (!onToggle) return <span className={classes.place}>{face}</span>;
  return (
    <UnstyledButton
      className={classes.place}
      aria-label={t('step.complete_of', { name: step.step_name })}
      aria-pressed={completed}
      aria-keyshortcuts="C"
      onClick={onToggle}
    >
      {face}
    </UnstyledButton>
  );
}
