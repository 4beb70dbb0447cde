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
  /** Mutation that sends the reason; its errors show here. */
  save: { isPending: boolean; error: unknown };
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks for a reason, which the affected user will read. */
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
