import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { LogEntry } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { activityText } from '../../../shared/activity/words';
import type { Column } from '../../../ui/DataTable';
import classes from './logs.module.css';

/** Who did what, when and from where. */
export function useLogColumns(): Column<LogEntry>[] {
  const { t } = useTranslation(['admin', 'names', 'events']);
  return [
    {
      key: 'at',
      header: t('logs.when'),
      cell: (row) => (
        <time className="num" dateTime={row.at}>
          {dateTime(row.at)}
        </time>
      ),
    },
    {
      key: 'what',
      wide: true,
      header: t('logs.what'),
      cell: (row) => (
        <>
          {activityText(t, row)}
          <div className={classes.action}>{row.action}</div>
        </>
      ),
    },
    {
      key: 'who',
      header: t('logs.who'),
      cell: (row) => (
        <>
          {row.actor.kind === 'system' ? t('names:actor.system') : row.actor.name}
          <div className={classes.action}>{roleText(t, row.actor.kind)}</div>
        </>
      ),
    },
    {
      key: 'address',
      header: t('logs.address'),
      cell: (row) => <span className="num">{row.address ?? '—'}</span>,
    },
  ];
}

export function roleText(t: TFunction, kind: string): string {
  return t(`names:role.${kind}`, { defaultValue: t(`logs.kind.${kind}`, { defaultValue: kind }) });
}
