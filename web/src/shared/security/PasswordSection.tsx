import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toPublicUrl } from '../../basePath';
import { errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { paths } from '../../paths';
import { SettingsRow, SettingsSection } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { useMe } from '../session/me';
import { ChangePassword } from './ChangePassword';
import { identityFor, accountQueries } from './accountQueries';
import { useStepUp } from './StepUp';

export function PasswordSection() {
  const { t } = useTranslation('security');
  const stepUp = useStepUp();
  const [changing, setChanging] = useState(false);
  const { data: user } = useQuery(accountQueries.user());
  // Provider accounts may have no password, so the current one is not asked for.
  const none = user !== undefined && !identityFor(user, 'email');
  return (
    <SettingsSection title={t('password.title')} text={t('password.text')}>
      {none ? (
        <SettingsRow
          icon={<IconKey size={17} />}
          title={t('password.none')}
          text={t('password.none_text')}
          actions={<SetPassword />}
        />
      ) : (
        <SettingsRow
          icon={<IconKey size={17} />}
          title={t('password.row')}
          text={t('password.row_text')}
          actions={
            <Button variant="default" onClick={() => stepUp(() => setChanging(true))}>
              {t('password.change')}
            </Button>
          }
        />
      )}
      {changing && <ChangePassword onClose={() => setChanging(false)} />}
    </SettingsSection>
  );
}

/** Sets a password through a recovery mail, which proves the address. */
function SetPassword() {
  const { t } = useTranslation(['security', 'common']);
  const { email } = useMe();
  const send = useMutation({
    mutationFn: () =>
      unwrapAuthResult(auth.resetPasswordForEmail(email, { redirectTo: toPublicUrl(paths.resetPassword) })),
    onSuccess: () =>
      toast({ title: t('password.set_sent'), description: t('password.set_sent_text', { email }) }),
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <Button variant="default" disabled={send.isPending} onClick={() => send.mutate()}>
      {t('password.set')}
    </Button>
  );
}
