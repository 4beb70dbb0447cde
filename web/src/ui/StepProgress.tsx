import { useTranslation } from 'react-i18next';
import classes from './StepProgress.module.css';

export type SegmentState = 'pending' | 'in_progress' | 'completed' | 'blocked';

interface Props {
  /** State of each step, in order. */
  steps: SegmentState[];
  label: string;
  /** Whole percent of completed steps. */
  percent: number;
}

/** Progress with one segment for each step. */
export function StepProgress({ steps, label, percent }: Props) {
  const { t } = useTranslation('common');
  const completed = steps.filter((state) => state === 'completed').length;
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={t('steps_done', { completed, total: steps.length })}
    >
      {steps.map((state, place) => (
        <span key={place} className={classes.segment} data-state={state} />
      ))}
    </div>
  );
}
