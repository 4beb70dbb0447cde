import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { startImpersonation } from '../../../api/impersonation';
import { probeStorage } from '../../../api/browserStorage';
import type { Account } from '../../../api/types';
import { homePath } from '../../../paths';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';

/** Starts impersonation. The reason is logged with both names. */
export function ImpersonateForm({ user, onClose }: { user: Account; onClose: () => void }) {
  const { t } = useTranslation(['users', 'names', 'common']);
  const name = `${user.first_name} ${user.last_name}`;
  const form = useForm({ initialValues: { reason: '' } });
  const [problem, setProblem] = useState<string>();
  const save = useSave({
    form,
    save: (why: typeof form.values) =>
      body(api.POST('/rest/v1/users/{id}/impersonate', { params: { path: { id: user.id } }, body: why })),
    onSaved: (begun) =>
      startImpersonation(
        {
          token: begun.access_token,
          until: begun.expires_at,
          user: begun.user_id,
          name: begun.name,
          role: begun.role,
        },
        homePath(begun.role),
      ),
  });
  return (
    <FormModal
      title={t('look_title', { name })}
      text={t('look_text')}
      size="md"
      submitLabel={t('look')}
      busyLabel={t('looking')}
      busy={save.isPending}
      dirty={form.isDirty()}
      problem={problem}
      onSubmit={form.onSubmit((values) => {
        // The app reloads, so no cache update is needed.
        if (probeStorage()) setProblem(t('look_storage'));
        else save.mutate(values);
      })}
      onClose={onClose}
    >
      <Textarea
        label={t('names:field.reason')}
        description={t('look_reason')}
        required
        autosize
        minRows={2}
        maxLength={300}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormModal>
  );
}
