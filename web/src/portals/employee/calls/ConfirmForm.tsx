import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { Call } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Confirms one of the proposed times. */
export function ConfirmForm({ call, onClose }: { call: Call; onClose: () => void }) {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const form = useForm({ initialValues: { begins_at: call.times[0] ?? '', answer: '' } });
  const save = useSave({
    form,
    save: ({ begins_at, answer }: typeof form.values) =>
      body(
        api.POST('/rest/v1/calls/{id}/confirm', {
          params: versionedBody(call),
          body: { begins_at, answer: orNull(answer) },
        }),
      ),
    invalidates: 'call',
    onSaved: (confirmed) => {
      toast({ title: t('calls.answer.done'), description: dateTime(confirmed.begins_at) });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('calls.answer.title', { name: call.iso_name })}
      text={t('calls.answer.text')}
      size="md"
      submitLabel={t('calls.answer.submit')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <ChoiceSelect
        label={t('calls.answer.when')}
        choices={call.times.map((value) => ({ value, label: dateTime(value) }))}
        required
        {...form.getInputProps('begins_at')}
      />
      <Textarea
        label={t('calls.answer.note')}
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('answer')}
      />
    </FormModal>
  );
}
