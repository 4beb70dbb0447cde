import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { localTimeToInstant, todayInUserZone } from '../../../messages/format';
import { getLocale } from '../../../messages/locale';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { DateField } from '../../../ui/DateField';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Call request form with up to three proposed times. */
export function CallForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const { timeZone } = getLocale();
  const form = useForm({
    initialValues: { topic: '', note: '', times: '', time_2: '', time_3: '' },
  });
  const save = useSave({
    form,
    save: ({ topic, note, ...times }: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/calls', {
          params: idempotencyHeaders(key),
          body: {
            topic,
            note: orNull(note),
            // The first time is required.
            times: Object.values(times)
              .filter((time) => times.times && time)
              .map((time) => localTimeToInstant(time, timeZone)),
          },
        }),
      ),
    invalidates: 'call',
    onSaved: () => {
      toast({ title: t('calls.ask.done'), description: t('calls.ask.done_text') });
      onClose();
    },
  });
  const time = (name: 'times' | 'time_2' | 'time_3', n: number) => (
    <DateField
      time
      min={todayInUserZone()}
      label={t(`calls.time_${n}`)}
      required={n === 1}
      {...form.getInputProps(name)}
    />
  );
  return (
    <FormModal
      title={t('call')}
      text={`${t('calls.ask.text')} ${t('calls.zone', { zone: timeZone })}`}
      size="md"
      submitLabel={t('calls.ask')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('names:field.topic')}
        required
        data-autofocus
        {...form.getInputProps('topic')}
      />
      {time('times', 1)}
      {time('time_2', 2)}
      {time('time_3', 3)}
      <Textarea label={t('names:field.note')} autosize minRows={2} {...form.getInputProps('note')} />
    </FormModal>
  );
}
