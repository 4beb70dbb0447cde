import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { removeFormDrafts } from './drafts';
import { ConfirmDialog } from '../ui/ConfirmDialog';
import { setLeaveConfirmation, hasUnsaved } from '../ui/unsavedChanges';

/** Asks before unsaved input is lost: navigation, back, leaving the portal, or closing the tab. */
export function UnsavedGuard() {
  const { t } = useTranslation('common');
  const [answer, setAnswer] = useState<((may: boolean) => void) | null>(null);
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      hasUnsaved() && (from.pathname !== to.pathname || from.search !== to.search),
  );
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent) => {
      if (hasUnsaved()) event.preventDefault();
    };
    addEventListener('beforeunload', stay);
    const stop = setLeaveConfirmation(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => {
      removeEventListener('beforeunload', stay);
      stop();
    };
  }, []);
  const reply = (may: boolean) => {
    if (may) removeFormDrafts();
    answer?.(may);
    setAnswer(null);
    if (blocker.state !== 'blocked') return;
    if (may) blocker.proceed();
    else blocker.reset();
  };
  if (!answer && blocker.state !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={t('discard')}
      confirmLabel={t('discard_yes')}
      busyLabel={t('discard_yes')}
      busy={false}
      danger
      onConfirm={() => reply(true)}
      onClose={() => reply(false)}
    >
      {t('discard_text')}
    </ConfirmDialog>
  );
}
