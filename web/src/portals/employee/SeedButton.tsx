import { IconDatabasePlus } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotent } from '../../api/client';
import { onActivity } from '../../api/events';
import type { Activity } from '../../api/types';
import { useSave } from '../../shared/useSave';
import { BusyButton } from '../../ui/BusyButton';
import { toast } from '../../ui/toasts';

const askAgainAfter = 4000;

/** Queues the seed job; its outcome comes as an event. */
export function SeedButton() {
  const { t } = useTranslation('employee');
  const [job, setJob] = useState<string | null>(null);
  const queue = useSave({
    save: (_: void, key) =>
      body(api.POST('/rest/v1/jobs', { params: idempotent(key), body: { name: 'seed' } })),
    saved: (queued) => setJob(queued.id),
  });

  const settle = useEffectEvent((activity: Activity) => {
    if (job === null || activity.data.job_id !== job) return;
    if (activity.action === 'seed.finished') {
      toast({ title: t('seed.done'), description: t('seed.done_text') });
    } else if (activity.action === 'seed.failed') {
      toast({ title: t('seed.failed'), description: t('seed.failed_text'), destructive: true });
    } else return;
    setJob(null);
  });

  useEffect(() => {
    if (job === null) return undefined;
    const stopListening = onActivity((activity) => settle(activity));
    // The event may have come before the answer that names the job, or the stream may be gone.
    const ask = async () => {
      const { items } = await body(api.GET('/rest/v1/activity', { params: { query: { limit: 20 } } }));
      for (const activity of items) settle(activity);
    };
    const timer = setInterval(() => void ask().catch(() => undefined), askAgainAfter);
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }, [job]);

  return (
    <BusyButton
      variant="default"
      leftSection={<IconDatabasePlus size={16} aria-hidden="true" />}
      busy={queue.isPending || job !== null}
      label={t('seed.button')}
      busyLabel={t('seed.busy')}
      onClick={() => queue.mutate()}
    />
  );
}
