import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step } from '../../../api/types';
import { refetchAll } from '../../../shared/StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { required } from '../../../shared/validators';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { useWaitingParties, type WaitingOn } from '../spvs/waitingParties';

/** Blocks a step: why, and who has to act. */
export function BlockForm({ spv, step, onClose }: { spv: SpvDetail; step: Step; onClose: () => void }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const missing = useRequiredFieldsMessage();
  const parties = useWaitingParties();
  const form = useForm({
    initialValues: {
      blocked_reason: '',
      waiting_on: null as WaitingOn | null,
      // Asked only where the change reopens a closed order.
      reason: '',
    },
    validate: {
      blocked_reason: required,
      waiting_on: required,
      reason: (value) => (spv.status === 'closed' ? required(value) : null),
    },
  });
  const save = useSave({
    form,
    save: ({ reason, ...values }: typeof form.values) =>
      body(
        api.PATCH('/rest/v1/steps/{id}', {
          params: versionedBody(step),
          body: { status: 'blocked', ...values, ...(reason && { reason }) },
        }),
      ),
    explain: refetchAll(queries.spv(spv.id).queryKey),
    invalidates: 'step',
    onSaved: (saved) => {
      toast({ title: t('step.updated'), description: saved.step_name });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('step.block_title', { name: step.step_name })}
      size="md"
      submitLabel={t('step.block_submit')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <Textarea
        label={t('step.blocked_reason')}
        description={t('step.client_sees')}
        required
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('blocked_reason')}
      />
      <ChoiceSelect
        label={t('step.waiting_on')}
        required
        placeholder={t('choose')}
        choices={parties}
        {...form.getInputProps('waiting_on')}
      />
      {spv.status === 'closed' && (
        <Textarea
          label={t('names:field.reason')}
          description={t('step.reopens')}
          required
          autosize
          {...form.getInputProps('reason')}
        />
      )}
    </FormModal>
  );
}
