import { IconDatabasePlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../api/client';
import { useMe } from '../../shared/session/me';
import { useSave } from '../../shared/useSave';
import { BusyButton } from '../../ui/BusyButton';
import { setSeedJob, useSeedJob } from './seedJob';

/** Queues the seed job; SeedOutcome shows the result. */
export function SeedButton() {
  const { t } = useTranslation('employee');
  const me = useMe();
  const job = useSeedJob(me.id);
  const queue = useSave({
    save: (_: void, key) =>
      body(api.POST('/rest/v1/jobs', { params: idempotencyHeaders(key), body: { name: 'seed' } })),
    onSaved: (queued) => setSeedJob(me.id, queued.id),
  });

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
