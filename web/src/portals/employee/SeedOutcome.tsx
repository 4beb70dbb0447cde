import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { onActivity } from '../../api/events';
import type { Activity } from '../../api/types';
import { toast } from '../../ui/toasts';
import { seedJob, setSeedJob, useSeedJob } from './seedJob';

const POLL_INTERVAL_MS = 4000;

/** Tells how the seed job of this tab went, on whatever page of the portal its person is by then. */
export function SeedOutcome({ user }: { user: string }) {
  const { t } = useTranslation('employee');
  const job = useSeedJob(user);

  const settle = useEffectEvent((activity: Activity) => {
    // What is kept, not what was drawn: the event and the answer may both bring it.
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
    // The event may have come before the answer that names the job or while the page was loaded anew, or the
    // stream may be gone.
    const ask = async () => {
      const query = { subject_id: job, limit: 1 };
      const { items } = await body(api.GET('/rest/v1/activity', { params: { query } }));
      for (const activity of items) settle(activity);
    };
    const timer = setInterval(() => {
      if (seedJob(user) === null) setSeedJob(user, null);
      else void ask().catch(() => undefined);
    }, POLL_INTERVAL_MS);
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }, [job, user]);

  return null;
}
