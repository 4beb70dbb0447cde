import { useTranslation } from 'react-i18next';
import { signOut } from '../../api/session';
import { clearDrafts } from '../drafts';
import { toast } from '../../ui/toasts';
import { confirmDiscard } from '../../ui/unsavedChanges';

/** Signs out with a toast and returns to the landing page. */
export function useLogout(): () => Promise<void> {
  const { t } = useTranslation('common');
  return async () => {
    if (!(await confirmDiscard())) return;
    clearDrafts();
    await signOut();
    toast({ title: t('logged_out.title'), description: t('logged_out.text') });
  };
}
