import { ActionIcon, Anchor, Checkbox } from '@mantine/core';
import { IconAlertCircle, IconExternalLink, IconPencil } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { DocumentRequest, SpvDetail, Step } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { paths } from '../../../paths';
import { Prose } from '../../../ui/Prose';
import { StepAssignee, StepDue, StepStatus } from './StepControls';
import { StepDisc } from './StepDisc';
import type { StepActions } from './useStepActions';
import classes from './StepRow.module.css';

interface Props {
  step: Step;
  spv: SpvDetail;
  isNext: boolean;
  /** Open document requests of the step. */
  requests: DocumentRequest[];
  actions: StepActions;
  /** Handle to drag the row, or nothing while steps are selected. */
  handle?: ReactNode;
  /** Selection, while steps are selected and for those that can be. */
  selection?: { selected: boolean; onSelect: (selected: boolean, range: boolean) => void };
  onEdit: () => void;
}

/** Step of an order with everything that staff change in place. */
export function StepRow({ step, spv, isNext, requests, actions, handle, selection, onEdit }: Props) {
  const { t } = useTranslation(['employee', 'common']);
  const may = step.can.includes('update');
  return (
    <div className={classes.row} data-row={step.id} data-status={step.status} tabIndex={-1}>
      <span className={classes.lead}>
        {selection ? (
          <Checkbox
            size="sm"
            aria-label={t('bulk.choose', { name: step.step_name })}
            checked={selection.selected}
            onChange={(event) => {
              const { nativeEvent } = event;
              const range = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
              selection.onSelect(event.currentTarget.checked, range);
            }}
          />
        ) : (
          handle
        )}
      </span>
      <StepDisc step={step} onToggle={may ? () => actions.toggle(step) : undefined} />
      <StepFacts step={step} spv={spv} requests={requests} />
      <span className={classes.controls}>
        <StepDue
          step={step}
          spv={spv}
          onChange={may ? (due_date) => actions.edit({ steps: [step], change: { due_date } }) : undefined}
        />
        <StepAssignee
          step={step}
          onAssign={
            may
              ? (assignee) =>
                  actions.edit({ steps: [step], change: { assignee_id: assignee?.id ?? null }, assignee })
              : undefined
          }
        />
        <StepStatus
          step={step}
          isNext={isNext}
          onChoose={may ? (status) => actions.setStatus(step, status) : undefined}
        />
        {may && (
          <ActionIcon
            className={classes.edit}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('step.edit_of', { name: step.step_name })}
            aria-keyshortcuts="E"
            onClick={onEdit}
          >
            <IconPencil size={16} />
          </ActionIcon>
        )}
      </span>
    </div>
  );
}

function StepFacts({ step, spv, requests }: Pick<Props, 'step' | 'spv' | 'requests'>) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const needs = spv.steps.filter(
    (other) => other.status !== 'completed' && step.depends_on.includes(other.id),
  );
  const open = step.status !== 'completed';
  const facts = [
    step.owner !== 'staff' && t(`names:owner.${step.owner}`),
    step.completed_at && t('common:step.completed_at', { date: dateTime(step.completed_at) }),
    open &&
      needs.length > 0 &&
      t('common:step.waits_for', { names: needs.map((need) => `“${need.step_name}”`).join(', ') }),
  ].filter(Boolean);
  const waiting =
    step.waiting_on && t('common:step.waiting_on', { who: t(`names:waiting_on.${step.waiting_on}`) });
  return (
    <div className={classes.body}>
      <div className={classes.head}>
        <span className={classes.name}>{step.step_name}</span>
        {facts.length > 0 && <span className={classes.facts}>{facts.join(' · ')}</span>}
      </div>
      {step.status === 'blocked' && (
        <div className={classes.blocked}>
          <IconAlertCircle size={15} aria-hidden="true" />
          <span>
            <Prose>{step.blocked_reason}</Prose> {waiting}
          </span>
        </div>
      )}
      {open &&
        requests.map((request) => (
          <div key={request.id} className={classes.facts}>
            <Anchor component={Link} to={paths.employeeOrderTab(spv.id, 'documents')} fz="inherit">
              {request.name}
            </Anchor>
            {': '}
            {t(`names:document_request_status.${request.status}`)}
          </div>
        ))}
      {step.text_data && (
        <p className={classes.notes}>
          <Prose>{step.text_data}</Prose>
        </p>
      )}
      {step.document_url && (
        <a className={classes.document} href={step.document_url} target="_blank" rel="noreferrer noopener">
          {t('common:step.document')}
          <IconExternalLink size={14} aria-hidden="true" />
        </a>
      )}
    </div>
  );
}
