import { Button } from '@mantine/core';
import { IconMail, IconMailForward } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { SettingsRow, SettingsSection, SettingsState } from '../../ui/Settings';
import { Tag } from '../../ui/Tag';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { ChangeEmail } from './ChangeEmail';
import { accountQueries, useEmailWords } from './accountQueries';
import { useStepUp } from './StepUp';

export function EmailSection() {
  const { t } = useTranslation(['security', 'common']);
  const stepUp = useStepUp();
  const [changing, setChanging] = useState(false);
  const { data, error, refetch } = useQuery(accountQueries.user());
  return (
    <SettingsSection title={t('email.title')} text={t('email.text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
        {(user) => (
          <>
            <SettingsRow
              icon={<IconMail size={17} />}
              title={user.email}
              text={t('email.row_text')}
              actions={
                !user.new_email && (
                  <Button variant="default" onClick={() => stepUp(() => setChanging(true))}>
                    {t('email.change')}
                  </Button>
                )
              }
            />
            {user.new_email && <Pending current={user.email ?? ''} next={user.new_email} />}
            {changing && <ChangeEmail current={user.email ?? ''} onClose={() => setChanging(false)} />}
          </>
        )}
      </SettingsState>
    </SettingsSection>
  );
}

/** The change awaits confirmation. */
function Pending({ current, next }: { current: string; next: string }) {
  const { t } = useTranslation(['security', 'common']);
  const topic = useEmailWords();
  const failed = (error: unknown) =>
    toast({ title: t('common:error'), description: errorText(error), destructive: true });
  const resend = useMutation({
    mutationFn: () => unwrapAuthResult(auth.resend({ type: 'email_change', email: current })),
    onSuccess: () =>
      toast({ title: t(`${topic}.resent`), description: t(`${topic}.asked_text`, { current, next }) }),
    onError: failed,
  });
  const cancel = useMutation({
    // Requesting the current address cancels the change.
    mutationFn: () => unwrapAuthResult(auth.updateUser({ email: current })),
    onSuccess: async () => {
      toast({ title: t('email.cancelled'), description: t('email.cancelled_text', { email: current }) });
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
    },
    onError: failed,
  });
  const busy = resend.isPending || cancel.isPending;
  return (
    <SettingsRow
      icon={<IconMailForward size={17} />}
      title={next}
      tag={<Tag tone="wait">{t('email.waiting')}</Tag>}
      text={t(`${topic}.pending_text`, { current, next })}
      actions={
        <>
          <Button variant="default" disabled={busy} onClick={() => resend.mutate()}>
            {t('email.resend')}
          </Button>
          <Button variant="default" disabled={busy} onClick={() => cancel.mutate()}>
            {t('email.cancel')}
          </Button>
        </>
      }
    />
  );
}
