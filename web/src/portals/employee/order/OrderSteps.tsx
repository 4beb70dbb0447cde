import { ActionIcon } from '@mantine/core';
import { IconListCheck, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail, Step } from '../../../api/types';
import { StepList } from '../../../shared/spvs/StepList';
import { EmptyState } from '../../../ui/states';
import { StepForm } from '../spvs/StepForm';

/** The steps of an order, each with its edit dialog. */
export function OrderSteps({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('employee');
  const [editing, setEditing] = useState<Step | null>(null);
  if (spv.steps.length === 0) {
    return <EmptyState icon={<IconListCheck size={20} />} title={t('spvs.no_steps')} />;
  }
  return (
    <>
      <StepList
        steps={spv.steps}
        label={t('spvs.steps')}
        action={(step) =>
          step.can.includes('update') && (
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
