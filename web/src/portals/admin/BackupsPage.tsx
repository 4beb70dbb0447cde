import { IconDatabaseExport } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import type { Backup } from '../../api/types';
import { bytes, dateTime, number } from '../../messages/format';
import { actorName } from '../../messages/actorName';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { Tag } from '../../ui/Tag';
import { BackupButton } from './backups/BackupButton';
import { useBackups } from './backups/useBackups';
import classes from './logs/logs.module.css';

const tones = {
  queued: 'wait',
  running: 'work',
  done: 'done',
  incomplete: 'stop',
  failed: 'stop',
} as const;

/** A backup without some documents is marked incomplete. */
function backupState({ state, documents_missing: missing }: Backup): keyof typeof tones {
  return state === 'done' && missing > 0 ? 'incomplete' : state;
}

/** Backup list. Restore is a command on the server, into an empty portal. */
export function Component() {
  const { t } = useTranslation('admin');
  const { backups, error, refetch } = useBackups();
  const counted = (backup: Backup, count: string) => (backup.state === 'done' ? count : '');
  const columns: GridColumn<Backup>[] = [
    {
      key: 'at',
      phone: 'title',
      header: t('backups.at'),
      cell: (backup) => <span className="num">{dateTime(backup.made_at ?? backup.asked_at)}</span>,
    },
    {
      key: 'by',
      header: t('backups.by'),
      cell: ({ asked_by: by }) => (by === 'portal.nightly_backup' ? t('backups.nightly') : actorName(t, by)),
    },
    {
      key: 'state',
      phone: 'side',
      header: t('backups.state'),
      cell: (backup) => {
        const state = backupState(backup);
        return <Tag tone={tones[state]}>{t(`backups.is.${state}`)}</Tag>;
      },
    },
    {
      key: 'rows',
      header: t('backups.rows'),
      align: 'right',
      cell: (backup) => counted(backup, number(backup.rows_count)),
    },
    {
      key: 'documents',
      header: t('backups.documents'),
      align: 'right',
      cell: (backup) => counted(backup, number(backup.documents_count)),
    },
    {
      key: 'bytes',
      phone: 'end',
      header: t('backups.size'),
      explain: t('backups.size_text'),
      align: 'right',
      cell: (backup) => counted(backup, bytes(backup.bytes)),
    },
    {
      key: 'name',
      phone: 'text',
      header: t('backups.name'),
      cell: (backup) => (
        <>
          <span className={classes.value}>{backup.name}</span>
          {backup.documents_missing > 0 && (
            <div>
              {t('backups.missing', {
                count: backup.documents_missing,
                n: number(backup.documents_missing),
              })}
            </div>
          )}
          {backup.error && <div>{backup.error}</div>}
          {backup.copied_at && <div>{t('backups.copied', { when: dateTime(backup.copied_at) })}</div>}
          {backup.copy_error && <div>{t('backups.not_copied', { reason: backup.copy_error })}</div>}
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader title={t('backups.title')} text={t('backups.text')} actions={<BackupButton />} />
      <Section title={t('backups.newest')} flush>
        <RowGrid
          main
          label={t('backups.newest')}
          columns={columns}
          state={{
            rows: backups,
            error: error ? errorText(error) : null,
            retry: () => void refetch(),
          }}
          rowKey={(backup) => backup.id}
          empty={
            <EmptyState
              icon={<IconDatabaseExport size={20} />}
              title={t('backups.none')}
              text={t('backups.none_text')}
            />
          }
        />
      </Section>
    </>
  );
}
