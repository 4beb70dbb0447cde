import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { actBody } from '../../../api/approvals';
import { api, versionedBody } from '../../../api/client';
import type { Account } from '../../../api/types';
import { toastWaiting } from '../../../shared/approvals/waiting';
import { required } from '../../../shared/validators';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { roles } from './filters';
import { COMPANY_ROLES, AffiliationFields, affiliationBody } from './AffiliationFields';

/** Changes the role of a user, with company or ISO partner. */
export function RoleForm({ user, onClose }: { user: Account; onClose: () => void }) {
  const { t } = useTranslation(['users', 'names', 'common']);
  const missing = useRequiredFieldsMessage();
  const name = `${user.first_name} ${user.last_name}`;
  const form = useForm({
    initialValues: {
      role: user.role,
      company_id: user.company_id ?? null,
      iso_id: user.iso_id ?? null,
    },
    validate: {
      company_id: (id, { role }) => (COMPANY_ROLES(role) ? required(id) : null),
      // Only former partners have an ISO to return to.
      iso_id: (id, { role }) => (role === 'iso' && user.role === 'iso' ? required(id) : null),
    },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values) =>
      actBody<Account>(
        api.POST('/rest/v1/users/{id}/role', { params: versionedBody(user), body: affiliationBody(values) }),
      ),
    invalidates: ['user', 'approval'],
    onSaved: (changed) => {
      onClose();
      if (!changed) return toastWaiting();
      return toast({
        title: t('done.role'),
        description: t('role_now', { name, role: t(`names:role.${changed.role}`) }),
      });
    },
  });
  return (
    <FormModal
      title={t('role_title', { name })}
      text={t('role_note')}
      size="md"
      submitLabel={t('act.role')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <ChoiceSelect
        label={t('names:field.role')}
        required
        value={form.values.role}
        choices={roles.map((value) => ({ value, label: t(`names:role.${value}`) }))}
        onChange={(role) =>
          form.setValues({ role, iso_id: role === user.role ? (user.iso_id ?? null) : null })
        }
        error={form.errors.role}
        description={form.values.role && t(`role_text.${form.values.role}`)}
      />
      <AffiliationFields
        form={form}
        companyName={user.company_name ?? undefined}
        isoText={user.role === 'iso' ? undefined : t('role_iso_text')}
      />
    </FormModal>
  );
}
