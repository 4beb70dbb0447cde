import { ActionIcon, Button, Menu, Popover, Skeleton, Tooltip, UnstyledButton } from '@mantine/core';
import { IconBan, IconChevronDown, IconCircle, IconCircleCheck, IconProgress } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { nearDate } from '../../../messages/format';
import { isActive } from '../../../shared/spvs/dueDates';
import { DueTag } from '../../../shared/spvs/DueTag';
import { InitialsAvatar } from '../../../ui/InitialsAvatar';
import { Quiet, Tag } from '../../../ui/Tag';
import classes from './StepControls.module.css';

/** The calendar and its date library load when one is opened. */
const DayPicker = lazy(() => import('../../../ui/DayPicker').then((part) => ({ default: part.DayPicker })));

const STATUSES = [
  { status: 'pending', icon: IconCircle },
  { status: 'in_progress', icon: IconProgress },
  { status: 'completed', icon: IconCircleCheck },
  { status: 'blocked', icon: IconBan },
] as const;

interface StatusProps {
  step: Step;
  /** The step to work on now: the only pending one in color. */
  isNext: boolean;
  onChoose?: (status: Step['status']) => void;
}

/** Status of a step with a menu of the others. */
export function StepStatus({ step, isNext, onChoose }: StatusProps) {
  const { t } = useTranslation(['employee', 'names']);
  const words = t(`names:step_status.${step.status}`);
  // The disc and the date of completion say it already.
  const face = step.status !== 'completed' && <Face tone={statusTone(step.status, isNext)} words={words} />;
  if (!onChoose) return face;
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <UnstyledButton className={classes.status} data-completed={!face || undefined}>
          <span className="sr-only">{t('step.status_of', { name: step.step_name })} </span>
          {face || <span className="sr-only">{words}</span>}
          <IconChevronDown size={14} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {STATUSES.filter(({ status }) => status !== step.status).map(({ status, icon: Icon }) => (
          <Menu.Item
            key={status}
            leftSection={<Icon size={15} aria-hidden="true" />}
            onClick={() => onChoose(status)}
          >
            {status === 'blocked' ? t('step.block') : t(`names:step_status.${status}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A step that waits its turn is plain text. */
function Face({ tone, words }: { tone: ReturnType<typeof statusTone>; words: string }) {
  return tone === 'rest' ? <Quiet>{words}</Quiet> : <Tag tone={tone}>{words}</Tag>;
}

function statusTone(status: Step['status'], isNext: boolean) {
  if (status === 'blocked') return 'stop';
  if (status === 'in_progress') return 'work';
  return isNext ? 'wait' : 'rest';
}

/** Assignee of a step, changed in place. */
export function StepAssignee({
  step,
  onAssign,
}: {
  step: Step;
  onAssign?: (assignee: Step['assignee']) => void;
}) {
  const { t } = useTranslation(['employee', 'common']);
  const [opened, setOpened] = useState(false);
  const { data: staff = [] } = useQuery({ ...queries.staff(), enabled: onAssign !== undefined });
  const { assignee } = step;
  const former = assignee && !staff.some(({ id }) => id === assignee.id) ? [assignee] : [];
  const words = assignee ? t('common:step.assigned_to', { name: assignee.name }) : t('step.unassigned');
  // A completed step without one needs none; a menu that is open stays while colleagues work.
  if (!onAssign || (step.status === 'completed' && !assignee && !opened)) {
    return (
      assignee && (
        <span className={classes.person}>
          <InitialsAvatar name={assignee.name} />
          <span className="sr-only">{words}</span>
        </span>
      )
    );
  }
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end">
      <Tooltip label={words} openDelay={300}>
        <span>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('step.assignee_of', { name: step.step_name, who: words })}
              aria-keyshortcuts="A"
            >
              <InitialsAvatar name={assignee?.name} />
            </ActionIcon>
          </Menu.Target>
        </span>
      </Tooltip>
      <Menu.Dropdown className={classes.people}>
        <Menu.Label>{t('step.assignee')}</Menu.Label>
        {[null, ...former, ...staff].map((person) => (
          <Menu.Item
            key={person?.id ?? ''}
            leftSection={<InitialsAvatar name={person?.name} />}
            data-chosen={person?.id === assignee?.id || undefined}
            onClick={() => {
              if (person?.id !== assignee?.id) onAssign(person && { id: person.id, name: person.name });
            }}
          >
            {person?.name ?? t('step.unassigned')}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Due date of an open step, changed in place. */
export function StepDue({
  step,
  spv,
  onChange,
}: {
  step: Step;
  spv: SpvDetail;
  onChange?: (day: string | null) => void;
}) {
  const { t } = useTranslation(['employee', 'names']);
  const [opened, setOpened] = useState(false);
  if (step.status === 'completed' && !opened) return null;
  const face = step.due_date && (
    <>
      {isActive(spv) && <DueTag day={step.due_date} />}
      <time dateTime={step.due_date}>{nearDate(step.due_date)}</time>
    </>
  );
  if (!onChange) return face && <span className={classes.due}>{face}</span>;
  const choose = (day: string) => {
    if (day !== step.due_date) onChange(day);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      trapFocus
      withRoles={false}
      width="auto"
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.due}
          data-empty={!step.due_date || undefined}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <span className="sr-only">{t('step.due_of', { name: step.step_name })} </span>
          {face ?? t('step.set_due')}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('names:field.due_date')} p="sm">
        <Suspense fallback={<Skeleton width={252} height={280} aria-hidden="true" />}>
          <DayPicker
            value={step.due_date ?? ''}
            time={false}
            presets="due"
            onPick={choose}
            onDone={() => setOpened(false)}
          />
        </Suspense>
        {step.due_date && (
          <Button
            variant="subtle"
            size="compact-sm"
            mt="xs"
            onClick={() => {
              onChange(null);
              setOpened(false);
            }}
          >
            {t('step.clear_due')}
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
