import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../api/client';
import { PersonFields } from '../../shared/people/PersonFields';
import { orNull } from '../../shared/validators';
import { useSave } from '../../shared/useSave';
import { FormModal } from '../../ui/FormModal';
import { toast } from '../../ui/toasts';

/** Invites a company admin by mail. */
export function InviteForm({ companyId, onClose }: { companyId: string; onClose: () => void }) {
  const { t } = useTranslation(['company', 'names', 'common']);
  const form = useForm({
    initialValues: { first_name: '', last_name: '', email: '', phone: '' },
  });
  const save = useSave({
    form,
    save: ({ phone, ...who }: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/companies/{id}/members', {
          params: { path: { id: companyId }, ...idempotencyHeaders(key) },
          body: { ...who, phone: orNull(phone) },
        }),
      ),
    invalidates: 'company',
    onSaved: (member) => {
      toast({
        title: t('employees.invited'),
        description: t('employees.invited_text', { email: member.email }),
      });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('employees.invite')}
      text={t('employees.invite_text')}
      submitLabel={t('employees.invite_submit')}
      busyLabel={t('employees.inviting')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <PersonFields form={form} autofocus />
    </FormModal>
  );
}
