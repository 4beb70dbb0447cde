import { Anchor, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { actBody } from '../../../api/approvals';
import { api, idempotencyHeaders } from '../../../api/client';
import type { Account, Role } from '../../../api/types';
import { paths } from '../../../paths';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { PersonFields } from '../../../shared/people/PersonFields';
import { orNull } from '../../../shared/validators';
import { useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { roles } from './filters';
import { AffiliationFields, affiliationBody } from './AffiliationFields';

/** Invites a user of any role by mail. */
export function UserForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['users', 'names', 'common']);
  const form = useForm({
    initialValues: {
      role: null as Role | null,
      first_name: '',
      last_name: '',
      email: '',
      phone: '',
      company_id: null as string | null,
      iso_id: null as string | null,
    },
  });
  const save = useSave({
    form,
    save: ({ first_name, last_name, email, phone, ...place }: typeof form.values, key) =>
      actBody<Account>(
        api.POST('/rest/v1/users', {
          params: idempotencyHeaders(key),
          body: { ...affiliationBody(place), first_name, last_name, email, phone: orNull(phone) },
        }),
      ),
    invalidates: ['user', 'approval'],
    onSaved: (made) => {
      if (made) toast({ title: t('invited'), description: t('invited_text', { email: made.email }) });
      else toastWaiting();
      onClose();
    },
  });
  return (
    <FormModal
      title={t('add')}
      text={t('add_text')}
      submitLabel={t('invite')}
      busyLabel={t('inviting')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <ChoiceSelect
        label={t('names:field.role')}
        required
        placeholder={t('choose_role')}
        value={form.values.role}
        choices={roles.map((value) => ({ value, label: t(`names:role.${value}`) }))}
        onChange={(role) => form.setFieldValue('role', role)}
        error={form.errors.role}
        description={form.values.role && t(`role_text.${form.values.role}`)}
      />
      {form.values.role === 'client' && (
        <Text size="sm" c="dimmed">
          {t('client_hint')}{' '}
          <Anchor component={Link} to={paths.employeeClients} size="sm">
            {t('client_link')}
          </Anchor>
        </Text>
      )}
      <AffiliationFields form={form} />
      <PersonFields form={form} />
    </FormModal>
  );
}
