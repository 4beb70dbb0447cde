import { ActionIcon, Button, Checkbox, Group } from '@mantine/core';
import { IconListCheck, IconPencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../../api/types';
import { StepRow } from '../../../shared/spvs/StepList';
import { SortableList } from '../../../ui/SortableList';
import { EmptyState } from '../../../ui/EmptyState';
import { NewStepForm } from '../spvs/NewStepForm';
import { StepForm } from '../spvs/StepForm';
import { CompleteSteps } from './CompleteSteps';
import { DeleteStep } from './DeleteStep';
import { useReorderSteps } from './useReorderSteps';

/** Steps of an order: reorder, edit, complete in bulk, delete and add. */
export function OrderSteps({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('employee');
  const [editing, setEditing] = useState<Step | null>(null);
  const [deleting, setDeleting] = useState<Step | null>(null);
  const [adding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const sort = useReorderSteps(spv);
  const mayEdit = spv.can.includes('update_steps');
  const open = spv.steps.filter((step) => step.status !== 'completed' && step.can.includes('update'));
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...(before ?? []), id] : (before ?? []).filter((other) => other !== id)));
  const add = mayEdit && spv.status !== 'closed' && (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      {t('step.add')}
    </Button>
  );
  const action = (step: Step) =>
    chosen
      ? open.includes(step) && (
          <Checkbox
            aria-label={t('bulk.choose', { name: step.step_name })}
            checked={chosen.includes(step.id)}
            onChange={(event) => choose(step.id, event.currentTarget.checked)}
          />
        )
      : step.can.includes('update') && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('step.edit_of', { name: step.step_name })}
            onClick={() => setEditing(step)}
          >
            <IconPencil size={16} />
          </ActionIcon>
        );
  return (
    <>
      {chosen ? (
        <CompleteSteps
          spv={spv}
          steps={open.filter((step) => chosen.includes(step.id))}
          onAll={() => setChosen(open.map((step) => step.id))}
          onDone={() => setChosen(null)}
        />
      ) : (
        add && (
          <Group px="md" pt="sm" gap="xs" justify="flex-end">
            {open.length > 1 && (
              <Button size="xs" variant="default" onClick={() => setChosen([])}>
                {t('bulk.start')}
              </Button>
            )}
            {add}
          </Group>
        )
      )}
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
          {({ step }, handle) => <StepRow step={step} spv={spv} handle={handle} action={action(step)} />}
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
    </>
  );
}
