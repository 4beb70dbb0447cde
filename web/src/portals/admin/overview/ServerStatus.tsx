import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Probe } from '../../../api/types';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { useSave } from '../../../shared/useSave';
import { ActivitySkeleton } from '../../../ui/ActivityList';
import { BusyButton } from '../../../ui/BusyButton';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { Tag } from '../../../ui/Tag';
import { IconServer } from '@tabler/icons-react';
import classes from './overview.module.css';

/** Timeout of a health check. */
const PROBE_TIMEOUT_MS = 20_000;

/** Health checks at their last run. */
export function ServerStatus() {
  const { t } = useTranslation('admin');
  const [requestedAt, setRequestedAt] = useState(0);
  const { data, error, refetch } = useQuery({
    ...queries.probes(),
    refetchInterval: ({ state }) => (isAwaitingProbe(requestedAt, state.data?.items) ? 1000 : 30_000),
  });
  const waiting = isAwaitingProbe(requestedAt, data?.items);
  const check = useSave({
    save: () => body(api.POST('/rest/v1/probes/check')),
    onSaved: () => {
      setRequestedAt(Date.now());
      void refetch();
    },
  });
  return (
    <div id="status">
      <Section
        title={t('status.title')}
        actions={
          <>
            <Anchor component={Link} to={paths.adminJobs} size="sm">
              {t('jobs.title')}
            </Anchor>
            <BusyButton
              variant="subtle"
              size="compact-sm"
              busy={check.isPending || waiting}
              label={t('status.check')}
              busyLabel={t('status.checking')}
              onClick={() => check.mutate(undefined)}
            />
          </>
        }
        flush
      >
        {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
        {!data && !error && (
          <div className={classes.waiting}>
            <ActivitySkeleton />
          </div>
        )}
        {data?.items.length === 0 && (
          <EmptyState icon={<IconServer size={20} />} title={t('status.none')} text={t('status.none_text')} />
        )}
        {data && data.items.length > 0 && (
          <ul className={classes.list}>
            {data.items.map((probe) => (
              <ProbeRow key={probe.name} probe={probe} />
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

/** True while the oldest result predates the request and the request has not timed out. */
function isAwaitingProbe(requestedAt: number, probes: Probe[] | undefined): boolean {
  if (!requestedAt || Date.now() - requestedAt > PROBE_TIMEOUT_MS) return false;
  return !probes?.length || probes.some(({ checked_at }) => Date.parse(checked_at) < requestedAt);
}

function ProbeRow({ probe }: { probe: Probe }) {
  const { t } = useTranslation('admin');
  const name = t(`part.${probe.name}`, { defaultValue: probe.name });
  const tone = probe.ok ? (probe.fresh ? 'done' : 'rest') : 'stop';
  const word = probe.ok ? (probe.fresh ? 'works' : 'unknown') : 'fails';
  return (
    <li className={classes.line} aria-label={name}>
      <div className={classes.words}>
        <div className={classes.what}>{name}</div>
        <div className={classes.more}>
          {probe.ok && probe.latency_ms !== null && probe.latency_ms !== undefined
            ? t('status.latency', { ms: number(probe.latency_ms) })
            : probe.detail}
          {' · '}
          <RelativeTime at={probe.checked_at} />
        </div>
        {probe.ok && probe.last_error && probe.last_error_at && (
          <div className={classes.more}>
            {t('status.last_error')} <RelativeTime at={probe.last_error_at} />: {probe.last_error}
          </div>
        )}
      </div>
      <Tag tone={tone}>{t(`status.${word}`)}</Tag>
    </li>
  );
}
