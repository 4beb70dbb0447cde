import { ActionIcon, Button, Checkbox, Group } from '@mantine/core';
import { IconListCheck, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../../api/types';
import { StepList } from '../../../shared/spvs/StepList';
import { EmptyState } from '../../../ui/states';
import { StepForm } from '../spvs/StepForm';
import { CompleteSteps } from './CompleteSteps';

/** The steps of an order, each with its edit dialog; those still pending can be completed together. */
export function OrderSteps({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('employee');
  const [editing, setEditing] = useState<Step | null>(null);
  const [chosen, setChosen] = useState<string[] | null>(null);
  if (spv.steps.length === 0) {
    return <EmptyState icon={<IconListCheck size={20} />} title={t('spvs.no_steps')} />;
  }
  const pending = spv.steps.filter((step) => step.status === 'pending' && step.can.includes('update'));
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...(before ?? []), id] : (before ?? []).filter((other) => other !== id)));
  return (
    <>
      {chosen === null && pending.length > 1 && spv.status !== 'closed' && (
        <Group px="md" pt="sm" justify="flex-end">
          <Button size="xs" variant="default" onClick={() => setChosen([])}>
            {t('bulk.start')}
          </Button>
        </Group>
      )}
      {chosen && (
        <CompleteSteps
          spv={spv}
          steps={pending.filter((step) => chosen.includes(step.id))}
          onAll={() => setChosen(pending.map((step) => step.id))}
          onDone={() => setChosen(null)}
        />
      )}
      <StepList
        steps={spv.steps}
        label={t('spvs.steps')}
        action={(step) =>
          chosen
            ? pending.includes(step) && (
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
              )
        }
      />
      {editing && <StepForm step={editing} spv={spv} onClose={() => setEditing(null)} />}
    </>
  );
}
