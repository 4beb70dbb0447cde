import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../api/client';
import type { NewRequest, RequestKind, RequestPriority } from '../../api/types';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { FormModal, FieldPair } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';
import { useFormDraft } from '../drafts';
import { useSave } from '../useSave';
import { StaffSelect } from './StaffSelect';
import { priorities } from './quickRequestKinds';

interface Props {
  /** Request kinds with a short form. */
  kinds: RequestKind[];
  /** Staff submit for others and set a priority. */
  staff?: boolean;
  onClose: () => void;
}

/** Quick request form. */
export function QuickSubmit({ kinds, staff = false, onClose }: Props) {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const form = useForm({
    initialValues: {
      kind: (kinds.includes('support') ? 'support' : kinds[0]) as string,
      name: '',
      email: '',
      message: '',
      priority: 'medium' as RequestPriority,
      assignee_id: '',
    },
  });
  useFormDraft('quick request', form);
  const save = useSave({
    form,
    save: (request: NewRequest, key) =>
      body(api.POST('/rest/v1/requests', { params: idempotencyHeaders(key), body: request })),
    invalidates: 'request',
    onSaved: ({ reference }) => {
      toast({ title: t('submit.done'), description: reference });
      onClose();
    },
  });
  const submit = form.onSubmit(({ kind, message, name, email, priority, assignee_id }) =>
    save.mutate({
      kind,
      message,
      ...(staff && { name, email, priority, ...(assignee_id && { assignee_id }) }),
    }),
  );
  return (
    <FormModal
      title={t('submit.title')}
      text={staff ? t('submit.text_staff') : t('submit.text')}
      submitLabel={t('submit.submit')}
      busyLabel={t('form.submitting')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceSelect
        label={t('names:field.kind')}
        choices={kinds.map((kind) => ({ value: kind as string, label: t(`names:request_kind.${kind}`) }))}
        {...form.getInputProps('kind')}
      />
      {staff && (
        <>
          <FieldPair>
            <TextInput
              size="sm"
              label={t('submit.name')}
              description={t('submit.name_text')}
              {...form.getInputProps('name')}
            />
            <TextInput
              size="sm"
              type="email"
              label={t('names:field.email')}
              description={t('submit.email_text')}
              {...form.getInputProps('email')}
            />
          </FieldPair>
          <FieldPair>
            <ChoiceSelect
              label={t('names:field.priority')}
              choices={priorities.map((value) => ({ value, label: t(`names:request_priority.${value}`) }))}
              {...form.getInputProps('priority')}
            />
            <StaffSelect {...form.getInputProps('assignee_id')} />
          </FieldPair>
        </>
      )}
      <Textarea
        label={t('names:field.message')}
        required
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        {...form.getInputProps('message')}
      />
    </FormModal>
  );
}
