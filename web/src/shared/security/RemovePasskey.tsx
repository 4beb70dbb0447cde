import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useRevalidator } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { accountQueries, type Passkey } from './accountQueries';
import { withReauthentication } from './reauthentication';

export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation(['security', 'common']);
  const { revalidate } = useRevalidator();
  const name = passkey.friendly_name;
  const remove = useMutation({
    mutationFn: () =>
      withReauthentication(() => unwrapAuthResult(auth.passkey.delete({ passkeyId: passkey.id }))),
    onSuccess: async () => {
      toast({ title: t('totp.removed', { name }) });
      onClose();
      // The session may drop to aal1, which the refreshed token shows.
      await auth.refreshSession();
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
      await queryClient.invalidateQueries({ queryKey: queries.me().queryKey });
      // A code or an enrolment may be required now: the guard redirects.
      await revalidate();
    },
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <ConfirmDialog
      title={t('totp.remove_title', { name })}
      confirmLabel={t('totp.remove')}
      busyLabel={t('busy.removing')}
      busy={remove.isPending}
      danger
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t('passkeys.remove_text')}
      {passkey.second_factor && <Text mt="xs">{t('passkeys.remove_factor')}</Text>}
    </ConfirmDialog>
  );
}
