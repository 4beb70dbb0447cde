import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText, isStatus } from '../../../api/errors';
import { ChallengeForm } from '../../../shared/security/ChallengeForm';
import { ErrorState } from '../../../ui/states';
import { NewPasswordForm } from './NewPasswordForm';
import { Task } from './Task';

interface Props {
  onSaved: () => void;
  onExpired: (why: 'over' | 'late') => void;
}

/** A new password for whoever came by a mail. The mail is no second factor: who has one shows it first. */
export function NewPasswordTask({ onSaved, onExpired }: Props) {
  const { t } = useTranslation('public');
  const [shown, setShown] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['recovering'],
    queryFn: ({ signal }) => body(api.GET('/rest/v1/me', { signal })),
    // What is owed as the page opens: what is done here is known here.
    staleTime: 'static',
    gcTime: 0,
  });

  if (data?.mfa.due === 'challenge' && !shown) {
    return (
      <Task title={t('mfa.title')} lead={t('mfa.lead')}>
        <ChallengeForm onVerified={() => setShown(true)} />
      </Task>
    );
  }
  // A session that is over is told of by the form, with the way to another mail.
  const known = data ?? isStatus(error, 401);
  return (
    <Task title={t('reset.new')} lead={t('reset.new_text')}>
      {known && <NewPasswordForm onSaved={onSaved} onExpired={onExpired} />}
      {!known && error && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!known && !error && <Skeleton height={180} />}
    </Task>
  );
}
