import { IconDatabaseExport } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { number } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { toast } from '../../../ui/toasts';
import { useBackups } from './useBackups';

/** Starts a backup and shows its outcome. */
export function BackupButton({ justify }: { justify?: 'flex-start' }) {
  const { t } = useTranslation('admin');
  const { backups, making } = useBackups();
  const [backupId, setBackupId] = useState<string | null>(null);
  const backup = backups?.find(({ id }) => id === backupId);
  const state = backup?.state;
  const make = useSave({
    save: (_: void, key) => body(api.POST('/rest/v1/backups', { params: idempotencyHeaders(key) })),
    invalidates: 'backup',
    onSaved: (backup) => {
      setBackupId(backup.id);
    },
  });
  const showOutcome = useEffectEvent((how: 'done' | 'failed') => {
    const failed = how === 'failed';
    const missing = backup?.documents_missing ?? 0;
    const text = missing > 0 ? 'backups.incomplete_text' : 'backups.made_text';
    toast({
      title: t(failed ? 'backups.not_made' : 'backups.made'),
      description: t(failed ? 'backups.not_made_text' : text, { count: missing, n: number(missing) }),
      destructive: failed || missing > 0,
    });
  });
  useEffect(() => {
    if (state === 'done' || state === 'failed') showOutcome(state);
  }, [state]);
  return (
    <BusyButton
      variant="default"
      justify={justify}
      leftSection={<IconDatabaseExport size={16} aria-hidden="true" />}
      busy={make.isPending || making}
      label={t('actions.backup')}
      busyLabel={t('actions.backing_up')}
      onClick={() => make.mutate()}
    />
  );
}
