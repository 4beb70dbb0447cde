import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { orNull } from '../validators';
import { useSave } from '../useSave';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';

/** Starts maintenance or edits its message. */
export function MaintenanceDialog({ message, onClose }: { message?: string | null; onClose: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const form = useForm({ initialValues: { message: message ?? '' } });
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      body(api.PUT('/rest/v1/maintenance', { body: { message: orNull(values.message) } })),
    invalidates: 'maintenance',
    onSaved: () => {
      toast({ title: t('maintenance.begun'), description: t('maintenance.begun_text') });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('maintenance.title')}
      text={t('maintenance.text')}
      size="md"
      submitLabel={t('maintenance.begin')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <Textarea
        label={t('maintenance.message')}
        description={t('maintenance.message_text')}
        placeholder={t('common:maintenance.text')}
        autosize
        minRows={2}
        maxLength={300}
        data-autofocus
        {...form.getInputProps('message')}
      />
    </FormModal>
  );
}
