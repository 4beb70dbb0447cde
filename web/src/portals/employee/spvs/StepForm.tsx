import { Button, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { SpvDetail, Step, StepChange } from '../../../api/types';
import { orNull, required } from '../../../shared/validators';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal } from '../../../ui/FormModal';
import { AssigneeSelect } from './AssigneeSelect';
import { PlanFields, planChanges, planFromStep } from './PlanFields';
import { toast } from '../../../ui/toasts';
import { useWaitingParties } from './waitingParties';

const statuses: Step['status'][] = ['pending', 'in_progress', 'completed', 'blocked'];

const valuesOf = (step: Step) => ({
  ...planFromStep(step),
  status: step.status,
  blocked_reason: step.blocked_reason ?? '',
  waiting_on: step.waiting_on,
  text_data: step.text_data ?? '',
  document_url: step.document_url ?? '',
  assignee_id: step.assignee?.id ?? '',
  reason: '',
});
type Values = ReturnType<typeof valuesOf>;

/** Edits a step. Sends changed fields only, so concurrent edits of other fields are kept. */
export function StepForm({
  step: opened,
  spv,
  onDelete,
  onClose,
}: {
  step: Step;
  spv: SpvDetail;
  onDelete: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const [step, setStep] = useState(opened);
  const stale = useVersionConflict();
  const [planOpen, setPlanning] = useState(false);
  const missing = useRequiredFieldsMessage();
  const parties = useWaitingParties();
  const form = useForm({
    initialValues: valuesOf(opened),
    // The server checks this field only once all others are valid.
    validate: { reason: (value, values) => (reopens(values) ? required(value) : null) },
  });
  const reopens = (values: Values) => spv.status === 'closed' && values.status !== 'completed';

  const save = useSave({
    form,
    save: (change: StepChange) =>
      body(api.PATCH('/rest/v1/steps/{id}', { params: versionedBody(step), body: change })),
    invalidates: 'step',
    onSaved: (saved) => {
      const status = t(`names:spv_status.${saved.spv.status}`);
      const statusChanged = saved.spv.status !== spv.status;
      toast({
        title: t('step.updated'),
        description: statusChanged ? t('spvs.status_changed', { status }) : saved.step_name,
      });
      onClose();
    },
    explain: stale.explain,
  });

  const reload = async () => {
    const newest = await queryClient.fetchQuery({ ...queries.spv(spv.id), staleTime: 0 });
    const found = newest.steps.find((one) => one.id === step.id);
    if (!found) return onClose();
    setStep(found);
    stale.forget();
    form.setInitialValues(valuesOf(found));
    form.reset();
    return undefined;
  };

  // Scrolls to the first error.
  const planning = planOpen || Object.keys(planFromStep()).some((field) => form.errors[field]);
  const submit = form.onSubmit((values) => save.mutate(changes(step, values, reopens(values))), missing);
  const choices = statuses.map((value) => ({ value, label: t(`names:step_status.${value}`) }));
  return (
    <FormModal
      title={t('step.edit')}
      text={`${step.step_order}. ${step.step_name}`}
      submitLabel={t('common:save')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={stale.problem(reload)}
      aside={
        step.can.includes('delete') && (
          <Button variant="subtle" color="red" disabled={save.isPending} onClick={onDelete}>
            {t('step.delete')}
          </Button>
        )
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceSelect label={t('common:status')} choices={choices} {...form.getInputProps('status')} />
      {form.values.status === 'blocked' && (
        <>
          <TextInput
            size="sm"
            label={t('step.blocked_reason')}
            description={t('step.client_sees')}
            required
            {...form.getInputProps('blocked_reason')}
          />
          <ChoiceSelect
            label={t('step.waiting_on')}
            required
            placeholder={t('choose')}
            choices={parties}
            {...form.getInputProps('waiting_on')}
          />
        </>
      )}
      <AssigneeSelect current={step.assignee} {...form.getInputProps('assignee_id')} />
      <Textarea
        label={t('step.notes')}
        description={t('step.notes_text')}
        autosize
        minRows={3}
        {...form.getInputProps('text_data')}
      />
      <TextInput
        size="sm"
        type="url"
        label={t('step.document_url')}
        placeholder="https://"
        {...form.getInputProps('document_url')}
      />
      <Button
        variant="subtle"
        size="xs"
        mr="auto"
        aria-expanded={planning}
        rightSection={planning ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
        onClick={() => setPlanning(!planning)}
      >
        {t('step.plan')}
      </Button>
      {planning && (
        <>
          <TextInput size="sm" label={t('step.name')} required {...form.getInputProps('step_name')} />
          <PlanFields
            form={form}
            country={spv.country}
            others={spv.steps.filter((other) => other.id !== step.id)}
          />
        </>
      )}
      {reopens(form.values) && (
        <TextInput
          size="sm"
          label={t('names:field.reason')}
          description={t('step.reopens')}
          required
          {...form.getInputProps('reason')}
        />
      )}
    </FormModal>
  );
}

function changes(step: Step, values: Values, withReason: boolean): StepChange {
  const change = planChanges(step, values);
  if (values.status !== step.status) change.status = values.status;
  if (orNull(values.text_data) !== step.text_data) change.text_data = orNull(values.text_data);
  if (orNull(values.document_url) !== step.document_url) change.document_url = orNull(values.document_url);
  if (values.assignee_id !== (step.assignee?.id ?? '')) change.assignee_id = orNull(values.assignee_id);
  if (values.status === 'blocked') {
    change.blocked_reason = values.blocked_reason;
    change.waiting_on = values.waiting_on;
  }
  if (withReason) change.reason = values.reason;
  return change;
}
