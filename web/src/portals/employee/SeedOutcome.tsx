import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { onActivity } from '../../api/events';
import type { Activity } from '../../api/types';
import { toast } from '../../ui/toasts';
import { seedJob, setSeedJob, useSeedJob } from './seedJob';

const POLL_INTERVAL_MS = 4000;

/** Shows the outcome of the seed job of this tab on any page. */
export function SeedOutcome({ user }: { user: string }) {
  const { t } = useTranslation('employee');
  const job = useSeedJob(user);

  const settle = useEffectEvent((activity: Activity) => {
    // Reads the stored value, since event and poll may both deliver the outcome.
    const waited = seedJob(user);
    if (waited === null || activity.data.job_id !== waited) return;
    if (activity.action === 'seed.finished') {
      toast({ title: t('seed.done'), description: t('seed.done_text') });
    } else if (activity.action === 'seed.failed') {
      toast({ title: t('seed.failed'), description: t('seed.failed_text'), destructive: true });
    } else return;
    setSeedJob(user, null);
  });

  useEffect(() => {
    if (job === null) return undefined;
    const stopListening = onActivity((activity) => settle(activity));
    // Polled, because the event may precede the job id or a reload, or the stream may be down.
    const poll = async () => {
      const query = { subject_id: job, limit: 1 };
      const { items } = await body(api.GET('/rest/v1/activity', { params: { query } }));
      for (const activity of items) settle(activity);
    };
    const timer = setInterval(() => {
      if (seedJob(user) === null) setSeedJob(user, null);
      else void poll().catch(() => undefined);
    }, POLL_INTERVAL_MS);
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }, [job, user]);

  return null;
}
