import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { LogEntry } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { activityText, actorText } from '../../../shared/activity/activityText';
import { UserLink } from '../../../shared/records/links';
import type { GridColumn } from '../../../ui/grid/columns';
import { RelativeTime } from '../../../ui/DateText';
import { Prose } from '../../../ui/Prose';
import classes from './logs.module.css';

/** Columns of activity tables; the compact set has no location. */
export function useLogColumns({ brief = false } = {}): GridColumn<LogEntry>[] {
  const { t } = useTranslation(['admin', 'names', 'events']);
  const columns: GridColumn<LogEntry>[] = [
    {
      key: 'at',
      phone: 'end',
      header: t('logs.when'),
      width: brief ? 120 : undefined,
      cell: (row) =>
        brief ? (
          <RelativeTime at={row.at} />
        ) : (
          <time className="num" dateTime={row.at}>
            {dateTime(row.at)}
          </time>
        ),
    },
    {
      key: 'what',
      phone: 'title',
      header: t('logs.what'),
      cell: (row) => (
        <>
          <Prose>{activityText(t, row)}</Prose>
          {!brief && <code className={classes.action}>{row.action}</code>}
        </>
      ),
    },
    {
      key: 'who',
      phone: 'text',
      header: t('logs.who'),
      width: brief ? 140 : undefined,
      cell: (row) => (
        <>
          <span>
            <UserLink id={row.actor_id} name={actorText(t, row.actor)} />
          </span>
          {row.actor.kind !== 'system' && (
            <Text size="xs" c="dimmed">
              {roleText(t, row.actor.kind)}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'address',
      header: t('logs.address'),
      cell: (row) => <span className="num">{row.address ?? '—'}</span>,
    },
  ];
  return columns.filter(({ key }) => !brief || key !== 'address');
}

export function roleText(t: TFunction, kind: string): string {
  return t(`names:role.${kind}`, { defaultValue: t(`logs.kind.${kind}`, { defaultValue: kind }) });
}
