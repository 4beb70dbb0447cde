import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { FormModal } from '../../ui/FormModal';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { accountQueries, type Passkey } from './accountQueries';

/** The server's limit. */
const MAX_NAME_LENGTH = 120;

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation(['security', 'common']);
  const [name, setName] = useState(passkey.friendly_name);
  const [tried, setTried] = useState(false);
  const rename = useMutation({
    mutationFn: () =>
      unwrapAuthResult(auth.passkey.update({ passkeyId: passkey.id, friendlyName: name.trim() })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
      onClose();
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() && !rename.isPending) rename.mutate();
  };
  return (
    <FormModal
      title={t('passkeys.rename_title')}
      submitLabel={t('passkeys.rename')}
      busyLabel={t('passkeys.renaming')}
      busy={rename.isPending}
      dirty={name !== passkey.friendly_name}
      problem={rename.error && errorText(rename.error)}
      size="md"
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t('passkeys.name')}
        description={t('passkeys.name_hint')}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        onChange={(event) => setName(event.currentTarget.value)}
        error={tried && !name.trim() && t('errors:fields.required')}
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormModal>
  );
}
