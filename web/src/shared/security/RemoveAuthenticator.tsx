import type { Factor } from '@supabase/auth-js';
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
import { useMe } from '../session/me';
import { accountQueries } from './accountQueries';
import { withReauthentication } from './reauthentication';

interface Props {
  app: Factor;
  last: boolean;
  onClose: () => void;
}

export function RemoveAuthenticator({ app, last, onClose }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const { revalidate } = useRevalidator();
  const me = useMe();
  const name = app.friendly_name || t('totp.default_name');
  const remove = useMutation({
    mutationFn: () => withReauthentication(() => unwrapAuthResult(auth.mfa.unenroll({ factorId: app.id }))),
    onSuccess: async () => {
      toast({ title: t('totp.removed', { name }) });
      onClose();
      // The session may drop to aal1, which the refreshed token shows.
      await auth.refreshSession();
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
      await queryClient.invalidateQueries({ queryKey: queries.me().queryKey });
      // A TOTP code or enrolment may be required now: the guard redirects.
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
      {t(last ? 'totp.remove_last' : 'totp.remove_one')}
      {last && me.mfa.required && <Text mt="xs">{t('totp.remove_required')}</Text>}
    </ConfirmDialog>
  );
}
