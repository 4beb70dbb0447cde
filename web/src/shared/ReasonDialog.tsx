import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormModal } from '../ui/FormModal';
import { required } from './rules';
import { useMissing } from './useSave';

interface Props {
  title: string;
  text: string;
  confirmLabel: string;
  busy: boolean;
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks why, because whoever it is about will read it. */
export function ReasonDialog({ title, text, confirmLabel, busy, onConfirm, onClose }: Props) {
  const { t } = useTranslation(['common', 'names']);
  const missing = useMissing();
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: required } });
  return (
    <FormModal
      title={title}
      text={text}
      size="md"
      submitLabel={confirmLabel}
      busyLabel={t('saving')}
      busy={busy}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit(({ reason }) => onConfirm(reason), missing)}
      onClose={onClose}
    >
      <Textarea
        label={t('names:field.reason')}
        required
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormModal>
  );
}
