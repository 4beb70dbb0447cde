import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { onActivity } from '../../../api/events';
import type { Activity } from '../../../api/types';
import { useMe } from '../../../shared/session/me';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import classes from './settings.module.css';

const POLL_INTERVAL_MS = 3000;
const encryptions = ['tls', 'starttls', 'starttls_unverified', 'none'] as const;

/** Sends a test mail to the current user and shows its result. */
export function TestMail() {
  const { t } = useTranslation('admin');
  const me = useMe();
  const [mail, setMail] = useState<string | null>(null);
  const [outcome, setOutcome] = useState('');
  const send = useSave({
    save: (_: void, key) =>
      body(api.POST('/rest/v1/settings/test-mail', { params: idempotencyHeaders(key) })),
    onSaved: (queued) => {
      setOutcome('');
      setMail(queued.id);
    },
  });
  /** Result text with the transport encryption, except for file transport. */
  const sent = ({ data }: Activity) => {
    const how = encryptions.find((known) => known === data.encryption);
    if (!how) return t('mail.sent', { email: me.email });
    const encryption = t(`mail.encryption.${how}`, { version: String(data.tls_version ?? '') });
    return t('mail.sent_over', { email: me.email, encryption });
  };
  const settle = useEffectEvent((activity: Activity) => {
    if (mail === null || activity.subject.id !== mail) return;
    if (activity.action === 'mail.sent') setOutcome(sent(activity));
    else if (activity.action === 'mail.failed')
      setOutcome(t('mail.failed', { reason: String(activity.data.reason ?? '') }));
    else return;
    setMail(null);
  });
  useEffect(() => {
    if (mail === null) return undefined;
    const stopListening = onActivity((activity) => settle(activity));
    // Polled, because the event may precede the mail id, or the stream may be down.
    const poll = async () => {
      const { items } = await body(
        api.GET('/rest/v1/activity', { params: { query: { subject_id: mail, limit: 5 } } }),
      );
      for (const activity of items) settle(activity);
    };
    const timer = setInterval(() => void poll().catch(() => undefined), POLL_INTERVAL_MS);
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }, [mail]);
  return (
    <>
      <div className={classes.outcome} role="status">
        {outcome}
      </div>
      <BusyButton
        variant="default"
        busy={send.isPending || mail !== null}
        label={t('mail.test')}
        busyLabel={t('mail.testing')}
        onClick={() => send.mutate()}
      />
    </>
  );
}
