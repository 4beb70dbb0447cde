import { IconCheck, IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../api/types';
import { date, dateTime } from '../../messages/format';
import { Prose } from '../../ui/Prose';
import { Tag } from '../../ui/Tag';
import { DueTag } from './DueTag';
import { isActive, waitingOn } from './dueDates';
import { nextStep } from './nextStep';
import classes from './StepTimeline.module.css';

interface Props {
  spv: SpvDetail;
  label: string;
  /** One line for each step. */
  compact?: boolean;
  /** Whose steps are "yours", and whether sentences speak to the client. */
  reader?: 'client' | 'iso' | 'company';
  /** Steps listed as tasks of the reader: what they wait for is not repeated here. */
  listedSteps?: ReadonlySet<string>;
}

/** All steps of an order in their sequence: what is done, what comes, and who does it. */
export function StepTimeline({ spv, label, compact = false, reader = 'client', listedSteps }: Props) {
  const next = nextStep(spv);
  return (
    <ol className={classes.list} aria-label={label} data-compact={compact || undefined}>
      {spv.steps.map((step) => (
        <li key={step.id} className={classes.step} data-status={step.status}>
          <span className={classes.disc} aria-hidden="true">
            {step.status === 'completed' ? <IconCheck size={13} stroke={2.5} /> : step.step_order}
          </span>
          <StepBody
            step={step}
            spv={spv}
            compact={compact}
            reader={reader}
            isCurrent={isActive(spv) && (step.id === next?.id || isStarted(step))}
            isListed={listedSteps?.has(step.id) ?? false}
          />
        </li>
      ))}
    </ol>
  );
}

const isStarted = ({ status }: Step) => status === 'in_progress' || status === 'blocked';

interface BodyProps extends Pick<Props, 'spv' | 'compact'> {
  step: Step;
  reader: NonNullable<Props['reader']>;
  isCurrent: boolean;
  isListed: boolean;
}

function StepBody({ step, spv, compact, reader, isCurrent, isListed }: BodyProps) {
  const { t } = useTranslation(['common', 'names', 'orders']);
  const open = step.status !== 'completed';
  const yours = waitingOn(step) === reader || step.owner === reader;
  const needs = spv.steps.filter(
    (other) => other.status !== 'completed' && step.depends_on.includes(other.id),
  );
  const facts = [
    !yours &&
      !(isCurrent && reader === 'client') &&
      open &&
      step.owner !== 'staff' &&
      t(`names:owner.${step.owner}`),
    step.completed_at &&
      t('step.completed_at', {
        date: compact ? date(step.completed_at.slice(0, 10)) : dateTime(step.completed_at),
      }),
    open && step.due_date && t('step.due', { date: date(step.due_date) }),
    open &&
      !compact &&
      needs.length > 0 &&
      t('step.waits_for', { names: needs.map((need) => `“${need.step_name}”`).join(', ') }),
  ].filter(Boolean);
  return (
    <div className={classes.body}>
      <div className={classes.head}>
        <span className={classes.name}>{step.step_name}</span>
        {yours && <Tag tone={open && isCurrent ? 'wait' : 'rest'}>{t('step.you')}</Tag>}
        {step.status === 'blocked' && <Tag tone="stop">{t('names:step_status.blocked')}</Tag>}
        {open && isActive(spv) && <DueTag day={step.due_date} />}
        {facts.length > 0 && <span className={classes.facts}>{facts.join(' · ')}</span>}
      </div>
      {open && isCurrent && (reader === 'client' || step.status === 'blocked') && !isListed && (
        <div className={classes.now}>
          <Now step={step} reader={reader} />
        </div>
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

/** What happens with a step now, or what comes next. */
function Now({ step, reader }: { step: Step; reader: BodyProps['reader'] }) {
  const { t } = useTranslation(['common', 'names', 'orders']);
  if (step.status === 'blocked') {
    const waiting =
      step.waiting_on &&
      (step.waiting_on === reader
        ? t('step.waiting_on_you')
        : t('step.waiting_on', { who: t(`names:waiting_on.${step.waiting_on}`) }));
    return (
      <span>
        <Prose>{step.blocked_reason}</Prose> {waiting}
      </span>
    );
  }
  return (
    <span>{t(`orders:now.${step.owner}`, { context: step.status === 'pending' ? 'next' : undefined })}</span>
  );
}
