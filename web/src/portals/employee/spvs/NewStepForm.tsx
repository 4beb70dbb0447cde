import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import type { SpvDetail } from '../../../api/types';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { PlanFields, planFromStep } from './PlanFields';

/** Adds a step to an open order. */
export function NewStepForm({ spv, onClose }: { spv: SpvDetail; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'common']);
  const form = useForm({ initialValues: planFromStep() });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/spvs/{id}/steps', {
          params: { path: { id: spv.id }, ...idempotencyHeaders(key) },
          body: { ...values, due_date: orNull(values.due_date) },
        }),
      ),
    invalidates: 'step',
    onSaved: (added) => {
      toast({ title: t('step.added'), description: added.step_name });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('step.add')}
      text={t('step.add_text')}
      submitLabel={t('step.add_submit')}
      busyLabel={t('step.adding')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('step.name')}
        required
        data-autofocus
        {...form.getInputProps('step_name')}
      />
      <PlanFields form={form} country={spv.country} others={spv.steps} />
    </FormModal>
  );
}
