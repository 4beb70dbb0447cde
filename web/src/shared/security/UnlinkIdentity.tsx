import type { UserIdentity } from '@supabase/auth-js';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { errorText } from '../../api/errors';
import { auth } from '../../api/session';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { accountQueries } from './accountQueries';
import { withReauthentication } from './reauthentication';

export function UnlinkIdentity({ identity, onClose }: { identity: UserIdentity; onClose: () => void }) {
  const { t } = useTranslation(['security', 'common']);
  const provider = t(`identities.provider.${identity.provider}`, { defaultValue: identity.provider });
  const unlink = useMutation({
    mutationFn: () => withReauthentication(() => unwrapAuthResult(auth.unlinkIdentity(identity))),
    onSuccess: async () => {
      toast({ title: t('identities.unlinked', { provider }) });
      onClose();
      await queryClient.invalidateQueries({ queryKey: accountQueries.all });
    },
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <ConfirmDialog
      title={t('identities.unlink_title', { provider })}
      confirmLabel={t('identities.unlink')}
      busyLabel={t('identities.unlinking')}
      busy={unlink.isPending}
      danger
      onConfirm={() => unlink.mutate()}
      onClose={onClose}
    >
      {t('identities.unlink_text', { provider, email: identity.identity_data?.email })}
    </ConfirmDialog>
  );
}
