import { IconAlertCircle, IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../api/types';
import { date, dateTime } from '../../messages/format';
import { Prose } from '../../ui/Prose';
import { StatusBadge } from '../../ui/StatusBadge';
import { DueTag } from './DueTag';
import { isActive } from './dueDates';
import classes from './StepList.module.css';

interface Props {
  spv: SpvDetail;
  /** Steps to show. */
  steps?: Step[];
  label: string;
  /** Audience: own steps are "yours". */
  reader?: Step['owner'];
  /** Action at the end of a step. */
  action?: (step: Step) => ReactNode;
}

/** Step list with what blocks each step. */
export function StepList({ spv, steps = spv.steps, label, reader, action }: Props) {
  return (
    <ol className={classes.list} aria-label={label}>
      {steps.map((step) => (
        <li key={step.id}>
          <StepRow step={step} spv={spv} reader={reader} action={action?.(step)} />
        </li>
      ))}
    </ol>
  );
}

interface RowProps {
  step: Step;
  spv: SpvDetail;
  reader?: Step['owner'];
  /** Content before the number, such as a drag handle. */
  handle?: ReactNode;
  action?: ReactNode;
}

export function StepRow({ step, spv, reader, handle, action }: RowProps) {
  return (
    <div className={classes.step} data-status={step.status}>
      {handle && <span className={classes.handle}>{handle}</span>}
      <span className={`disc ${classes.number}`} aria-hidden="true">
        {step.step_order}
      </span>
      <StepBody step={step} spv={spv} reader={reader} />
      {action && <span className={classes.action}>{action}</span>}
    </div>
  );
}

function StepBody({ step, spv, reader }: Pick<RowProps, 'step' | 'spv' | 'reader'>) {
  const { t } = useTranslation(['common', 'names']);
  const needs = spv.steps.filter(
    (other) => other.status !== 'completed' && step.depends_on.includes(other.id),
  );
  const facts = [
    step.owner === reader ? t('step.you') : t(`names:owner.${step.owner}`),
    step.completed_at
      ? t('step.completed_at', { date: dateTime(step.completed_at) })
      : step.due_date && t('step.due', { date: date(step.due_date) }),
    needs.length > 0 &&
      step.status !== 'completed' &&
      t('step.waits_for', { names: needs.map((need) => `“${need.step_name}”`).join(', ') }),
    step.assignee && t('step.assigned_to', { name: step.assignee.name }),
  ].filter(Boolean);
  const waiting =
    step.waiting_on &&
    (step.waiting_on === reader
      ? t('step.waiting_on_you')
      : t('step.waiting_on', { who: t(`names:waiting_on.${step.waiting_on}`) }));
  return (
    <div className={classes.body}>
      <div className={classes.head}>
        <span className={classes.name}>{step.step_name}</span>
        <StatusBadge kind="step" status={step.status} />
        {step.status !== 'completed' && isActive(spv) && <DueTag day={step.due_date} />}
      </div>
      <div className={classes.facts}>{facts.join(' · ')}</div>
      {step.status === 'blocked' && (
        <div className={classes.blocked}>
          <IconAlertCircle size={15} aria-hidden="true" />
          <span>
            <Prose>{step.blocked_reason}</Prose> {waiting}
          </span>
        </div>
      )}
      {step.text_data && (
        <p className={classes.notes}>
          <Prose>{step.text_data}</Prose>
        </p>
      )}
      {step.document_url && (
        <a className={classes.document} href={step.document_url} target="_blank" rel="noreferrer noopener">
          {t('step.document')}
          <IconExternalLink size={14} aria-hidden="true" />
        </a>
      )}
    </div>
  );
}
