import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Alert } from '../../../api/types';
import { bytes, number, percent } from '../../../messages/format';
import { paths } from '../../../paths';
import { useSave } from '../../../shared/useSave';
import { ActivitySkeleton } from '../../../ui/ActivityList';
import { BusyButton } from '../../../ui/BusyButton';
import { RelativeTime } from '../../../ui/DateText';
import { LoadMore } from '../../../ui/LoadMore';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { toast } from '../../../ui/toasts';
import { BlockForm } from '../security/BlockForm';
import classes from './overview.module.css';

/** Open alerts. An alert closes when its cause is gone. */
export function Alerts() {
  const { t } = useTranslation('admin');
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.alerts({ open: true }),
  );
  return (
    <Section title={t('alerts.title')} flush>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className={classes.waiting}>
          <ActivitySkeleton />
        </div>
      )}
      {data?.length === 0 && (
        <EmptyState
          icon={<IconCircleCheck size={20} />}
          title={t('alerts.none')}
          text={t('alerts.none_text')}
        />
      )}
      {data && data.length > 0 && (
        <ul className={classes.list}>
          {data.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className={classes.footer}>
          <LoadMore fullWidth loading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />
        </div>
      )}
    </Section>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  const { t } = useTranslation('admin');
  const title = useAlertText()(alert);
  const [blocking, setBlocking] = useState(false);
  const resolve = useSave({
    save: () => body(api.POST('/rest/v1/alerts/{id}/resolve', { params: { path: { id: alert.id } } })),
    invalidates: 'alert',
    onSaved: () => {
      toast({ title: t('alerts.resolved'), description: t('alerts.resolved_text') });
    },
  });
  return (
    <li className={classes.line} aria-label={title}>
      <span className={classes.danger} aria-hidden="true">
        <IconAlertTriangle size={16} />
      </span>
      <div className={classes.words}>
        <div className={classes.what}>{title}</div>
        <div className={classes.more}>
          {t('alerts.since')} <RelativeTime at={alert.opened_at} />
        </div>
      </div>
      <div className={classes.buttons}>
        {alert.kind === 'sign_in_storm' && (
          <Button variant="default" size="compact-md" onClick={() => setBlocking(true)}>
            {t('alerts.block')}
          </Button>
        )}
        <Button component={Link} to={alertCausePath(alert)} variant="default" size="compact-md">
          {t('alerts.investigate')}
        </Button>
        <BusyButton
          variant="default"
          size="compact-md"
          busy={resolve.isPending}
          label={t('alerts.resolve')}
          busyLabel={t('alerts.resolving')}
          onClick={() => resolve.mutate(undefined)}
        />
      </div>
      {blocking && <BlockForm network={alert.subject} onClose={() => setBlocking(false)} />}
    </li>
  );
}

function useAlertText() {
  const { t } = useTranslation('admin');
  return ({ kind, subject, data }: Alert) =>
    t(`alert.${kind}`, {
      subject,
      part: t(`part.${subject}`, { defaultValue: subject }),
      count: Number(data.count ?? data.days ?? data.failed ?? 0),
      n: number(Number(data.count ?? data.days ?? data.failed ?? 0)),
      waiting: number(Number(data.waiting ?? 0)),
      percent: percent(Number(data.percent ?? 0)),
      free: bytes(Number(data.free_bytes ?? 0)),
      names: typeof data.names === 'string' ? data.names : '',
      defaultValue: subject,
    });
}

/** Path of the page about the cause. */
function alertCausePath({ kind, subject }: Alert): string {
  if (kind === 'sign_in_storm') {
    // The log filters by single address, not by network.
    const from: Record<string, string> = subject.includes('/') ? {} : { address: subject };
    return paths.adminLogsOf({ what: 'sign_in.failed', ...from });
  }
  if (kind === 'mail_failing') return paths.adminOutboxOf('failed');
  if (kind === 'dead_jobs') return paths.adminJobsOf('dead');
  if (kind === 'disk_low') return `${paths.adminSettings}#storage`;
  if (kind.startsWith('backup_')) return paths.adminBackups;
  if (kind === 'key_expiring') return paths.adminLogsOf({ what: 'keys' });
  return `${paths.adminDashboard}#status`;
}
