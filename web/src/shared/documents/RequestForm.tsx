import { Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../api/client';
import { queryClient } from '../../api/cache';
import type { DocumentRequest, SpvDetail } from '../../api/types';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { DateField } from '../../ui/DateField';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';
import { orNull } from '../validators';
import { useVersionConflict } from '../StaleProblem';
import { useSave } from '../useSave';

interface Props {
  spv: SpvDetail;
  /** Undefined to create a request. */
  request?: DocumentRequest;
  onClose: () => void;
}

const none = 'none';

/** Creates or edits a document request. */
export function RequestForm({ spv, request, onClose }: Props) {
  const { t } = useTranslation(['documents', 'common', 'names']);
  const stale = useVersionConflict();
  const form = useForm({
    initialValues: {
      name: request?.name ?? '',
      instructions: request?.instructions ?? '',
      due_date: request?.due_date ?? '',
      step_id: request?.step_id ?? none,
      required: request?.required ?? true,
    },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) => {
      const input = {
        name: values.name,
        instructions: orNull(values.instructions),
        due_date: orNull(values.due_date),
        step_id: values.step_id === none ? null : values.step_id,
        required: values.required,
      };
      const params = { path: { id: spv.id }, ...idempotencyHeaders(key) };
      return body(
        request
          ? api.PATCH('/rest/v1/document-requests/{id}', { params: versionedBody(request), body: input })
          : api.POST('/rest/v1/spvs/{id}/document-requests', { params, body: input }),
      );
    },
    invalidates: 'document_request',
    onSaved: (saved) => {
      toast({ title: request ? t('request.changed') : t('request.asked'), description: saved.name });
      onClose();
    },
    explain: stale.explain,
  });
  const reload = () => {
    void queryClient.invalidateQueries({ queryKey: ['document_requests'] });
    onClose();
  };
  const steps = spv.steps.map((step) => ({ value: step.id, label: `${step.step_order}. ${step.step_name}` }));
  return (
    <FormModal
      title={request ? t('request.edit_of', { name: request.name }) : t('request.new')}
      text={request ? undefined : t('request.new_text', { name: spv.client_name })}
      submitLabel={request ? t('common:save') : t('request.ask')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={stale.problem(reload)}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('request.name')}
        placeholder={t('request.name_example')}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Textarea
        label={t('names:field.instructions')}
        description={t('request.instructions_text')}
        autosize
        minRows={2}
        {...form.getInputProps('instructions')}
      />
      <DateField label={t('names:field.due_date')} presets="due" {...form.getInputProps('due_date')} />
      <ChoiceSelect
        label={t('names:field.step_id')}
        choices={[{ value: none, label: t('request.no_step') }, ...steps]}
        {...form.getInputProps('step_id')}
      />
      <Switch
        label={t('request.required')}
        description={t('request.required_text')}
        {...form.getInputProps('required', { type: 'checkbox' })}
      />
    </FormModal>
  );
}
