import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

interface Props {
  /** Initial values. */
  network?: string;
  onClose: () => void;
}

/** Adds a network to the IP blocklist. */
export function BlockForm({ network = '', onClose }: Props) {
  const { t } = useTranslation(['users', 'names', 'common']);
  const form = useForm({ initialValues: { network, reason: '' } });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/address-blocks', {
          params: idempotencyHeaders(key),
          body: { network: values.network, reason: orNull(values.reason) },
        }),
      ),
    invalidates: 'address',
    onSaved: (block) => {
      toast({ title: t('rules.blocked'), description: block.network });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('rules.block')}
      text={t('rules.block_text')}
      size="md"
      submitLabel={t('rules.block')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        size="sm"
        label={t('names:field.network')}
        placeholder="203.0.113.0/24"
        required
        data-autofocus
        {...form.getInputProps('network')}
      />
      <TextInput size="sm" label={t('names:field.reason')} {...form.getInputProps('reason')} />
    </FormModal>
  );
}
