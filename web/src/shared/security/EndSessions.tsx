import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { auth, signOutEverywhere } from '../../api/session';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { accountQueries, type Session } from './accountQueries';
import { authCall } from './authApi';

/** Ends one session, all others, or all. */
export type SignOutScope = Session | 'others' | 'all';

export function EndSessions({ which, onClose }: { which: SignOutScope; onClose: () => void }) {
  const { t } = useTranslation(['security', 'common']);
  const device = (typeof which === 'object' && which.device) || t('sessions.unknown');
  const words = {
    one: {
      title: 'sessions.end_title',
      text: 'sessions.end_text',
      done: 'sessions.ended',
      verb: 'sessions.end',
    },
    others: {
      title: 'sessions.end_others_title',
      text: 'sessions.end_others_text',
      done: 'sessions.others_ended',
      verb: 'sessions.end_others',
    },
    all: {
      title: 'sessions.end_all_title',
      text: 'sessions.end_all_text',
      done: 'sessions.all_ended',
      verb: 'sessions.end_all',
    },
  }[typeof which === 'object' ? 'one' : which];
  const end = useMutation({
    mutationFn: async () => {
      if (typeof which === 'object') await authCall('DELETE', `/sessions/${which.id}`);
      else if (which === 'others') await unwrapAuthResult(auth.signOut({ scope: 'others' }));
      else await unwrapAuthResult(signOutEverywhere());
    },
    onSuccess: () => {
      toast({ title: t(words.done, { device }) });
      onClose();
      if (which !== 'all') void queryClient.invalidateQueries({ queryKey: accountQueries.all });
    },
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <ConfirmDialog
      title={t(words.title, { device })}
      confirmLabel={t(words.verb)}
      busyLabel={t('sessions.ending')}
      busy={end.isPending}
      danger
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {t(words.text)}
    </ConfirmDialog>
  );
}
