import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { errorText, isStatus } from '../../../api/errors';
import { homePath, paths } from '../../../paths';
import { ChallengeForm } from '../../../shared/security/ChallengeForm';
import { ErrorState } from '../../../ui/ErrorState';
import { toast } from '../../../ui/toasts';
import { NewPasswordForm } from './NewPasswordForm';
import { AuthCard } from './AuthCard';

interface Props {
  onExpired: (why: 'over' | 'late') => void;
}

/** Sets a password after a mail link, then opens the portal. MFA comes first. */
export function NewPasswordCard({ onExpired }: Props) {
  const { t } = useTranslation('public');
  const navigate = useNavigate();
  const [shown, setShown] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['recovering'],
    queryFn: ({ signal }) => body(api.GET('/rest/v1/me', { signal })),
    // Requirements at page open; changes made here are tracked locally.
    staleTime: 'static',
    gcTime: 0,
  });

  if (data?.mfa.due === 'challenge' && !shown) {
    return (
      <AuthCard title={t('mfa.title')} lead={t('mfa.lead')}>
        <ChallengeForm onVerified={() => setShown(true)} />
      </AuthCard>
    );
  }
  const goOn = async () => {
    toast({ title: t('saved.title') });
    const me = data ?? (await body(api.GET('/rest/v1/me')).catch(() => undefined));
    await navigate(me ? homePath(me.role) : paths.portalSelector, { replace: true });
  };
  // The form handles an ended session and offers another mail.
  const known = data ?? isStatus(error, 401);
  return (
    <AuthCard
      title={data?.first_password ? t('reset.first') : t('reset.new')}
      lead={data?.first_password ? t('reset.first_text', { email: data.email }) : t('reset.new_text')}
    >
      {known && (
        <NewPasswordForm isFirst={data?.first_password} onSaved={() => void goOn()} onExpired={onExpired} />
      )}
      {!known && error && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!known && !error && <Skeleton height={180} />}
    </AuthCard>
  );
}
