import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../api/errors';
import { FormModal } from '../ui/FormModal';
import { required } from './validators';
import { useRequiredFieldsMessage } from './useSave';

interface Props {
  title: string;
  text: string;
  confirmLabel: string;
  /** What sends the reason, and is told here what the server has against it. */
  save: { isPending: boolean; error: unknown };
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks why, because whoever it is about will read it. */
export function ReasonDialog({ title, text, confirmLabel, save, onConfirm, onClose }: Props) {
  const { t } = useTranslation(['common', 'names']);
  const missing = useRequiredFieldsMessage();
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: required } });
  const [sent, setSent] = useState(false);
  const refused = sent ? fieldErrors(save.error).reason : undefined;
  const confirm = ({ reason }: { reason: string }) => {
    setSent(true);
    onConfirm(reason);
  };
  return (
    <FormModal
      title={title}
      text={text}
      size="md"
      submitLabel={confirmLabel}
      busyLabel={t('saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit(confirm, missing)}
      onClose={onClose}
    >
      <Textarea
        label={t('names:field.reason')}
        required
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps('reason')}
        error={form.errors.reason ?? refused}
      />
    </FormModal>
  );
}
