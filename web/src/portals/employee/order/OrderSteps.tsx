import { Button, Group, Text } from '@mantine/core';
import { IconListCheck, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { usePageKeys } from '../../../shared/shell/registry';
import { stepShortcuts } from '../../../shared/shortcuts';
import { nextStep } from '../../../shared/spvs/nextStep';
import { SortableList } from '../../../ui/SortableList';
import { EmptyState } from '../../../ui/EmptyState';
import { NewStepForm } from '../spvs/NewStepForm';
import { StepForm } from '../spvs/StepForm';
import { DeleteStep } from './DeleteStep';
import { StepRow } from './StepRow';
import { useReorderSteps } from './useReorderSteps';
import { useStepActions } from './useStepActions';
import { useStepKeys } from './useStepKeys';
import classes from './OrderSteps.module.css';

/** Steps of an order: complete, change in place, select, reorder, edit, delete and add. */
export function OrderSteps({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('employee');
  const [editing, setEditing] = useState<Step | null>(null);
  const [deleting, setDeleting] = useState<Step | null>(null);
  const [adding, setAdding] = useState(false);
  const sort = useReorderSteps(spv);
  const actions = useStepActions(spv);
  const list = useRef<HTMLDivElement>(null);
  const { data: requests = [] } = useQuery(queries.documentRequests(spv.id));
  const mayEdit = spv.can.includes('update_steps');
  const open = spv.steps.filter((step) => step.status !== 'completed' && step.can.includes('update'));
  const { chosen, setChosen, select } = useSelection(open);
  usePageKeys(stepShortcuts.map(({ keys, name }) => ({ keys: [...keys], label: t(`step.keys.${name}`) })));
  useStepKeys(list, {
    onSelect: (id, range) => select(id, !chosen?.includes(id), range),
    onComplete: chosen && chosen.length > 0 ? () => completeChosen() : undefined,
  });
  const steps = open.filter((step) => chosen?.includes(step.id));
  const completeChosen = () => {
    actions.complete(steps);
    setChosen(null);
  };
  const next = nextStep(spv)?.id;
  const ofStep = (id: string) =>
    requests.filter((request) => request.step_id === id && !['approved', 'waived'].includes(request.status));
  return (
    <div ref={list} className={classes.steps}>
      <Group px="md" py="xs" gap="xs" justify="flex-end" mih={48} className={classes.toolbar}>
        {chosen ? (
          <>
            <Text size="sm" mr="auto" aria-live="polite">
              {t('bulk.selected', { count: steps.length })}
            </Text>
            <Button size="xs" variant="subtle" onClick={() => setChosen(open.map((step) => step.id))}>
              {t('bulk.all')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setChosen(null)}>
              {t('bulk.clear')}
            </Button>
            <Button size="xs" disabled={steps.length === 0} onClick={completeChosen}>
              {t('bulk.complete', { count: steps.length })}
            </Button>
          </>
        ) : (
          mayEdit &&
          spv.status !== 'closed' && (
            <>
              {open.length > 0 && (
                <Text size="xs" c="dimmed" mr="auto" className={classes.hint}>
                  <Trans t={t} i18nKey="step.hint" components={{ key: <kbd className={classes.key} /> }} />
                </Text>
              )}
              {open.length > 1 && (
                <Button size="xs" variant="default" onClick={() => setChosen([])}>
                  {t('bulk.start')}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                onClick={() => setAdding(true)}
              >
                {t('step.add')}
              </Button>
            </>
          )
        )}
      </Group>
      {spv.steps.length === 0 ? (
        <EmptyState icon={<IconListCheck size={20} />} title={t('spvs.no_steps')} />
      ) : (
        <SortableList
          items={spv.steps.map((step) => ({ id: step.id, name: step.step_name, step }))}
          label={t('spvs.steps')}
          onSort={
            mayEdit && !chosen && spv.steps.length > 1
              ? (items) => sort(items.map((item) => item.step))
              : undefined
          }
        >
          {({ step }, handle) => (
            <StepRow
              step={step}
              spv={spv}
              isNext={step.id === next}
              requests={ofStep(step.id)}
              actions={actions}
              handle={handle}
              selection={
                chosen && open.includes(step)
                  ? {
                      selected: chosen.includes(step.id),
                      onSelect: (selected, range) => select(step.id, selected, range),
                    }
                  : undefined
              }
              onEdit={() => setEditing(step)}
            />
          )}
        </SortableList>
      )}
      {editing && (
        <StepForm
          step={editing}
          spv={spv}
          onDelete={() => {
            setEditing(null);
            setDeleting(editing);
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && <DeleteStep spv={spv} step={deleting} onClose={() => setDeleting(null)} />}
      {adding && <NewStepForm spv={spv} onClose={() => setAdding(false)} />}
      {actions.dialog}
    </div>
  );
}

/** Selected steps, or null while none are being selected. A range reaches from the step selected before. */
function useSelection(open: Step[]) {
  const [chosen, setChosen] = useState<string[] | null>(null);
  const last = useRef<string>(undefined);
  const select = (id: string, on: boolean, range: boolean) => {
    const ids = open.map((step) => step.id);
    const [from, to] = [ids.indexOf(last.current ?? id), ids.indexOf(id)].toSorted((a, b) => a - b);
    const touched = range && from !== -1 ? ids.slice(from, (to ?? 0) + 1) : ids.filter((one) => one === id);
    last.current = id;
    setChosen((before) => {
      const others = (before ?? []).filter((one) => !touched.includes(one));
      const after = on || range ? [...others, ...touched] : others;
      return before === null && after.length === 0 ? null : after;
    });
  };
  return { chosen, setChosen, select };
}
