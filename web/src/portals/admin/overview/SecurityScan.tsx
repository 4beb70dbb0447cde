import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Finding } from '../../../api/types';
import { ActivitySkeleton } from '../../../ui/ActivityList';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { ErrorState } from '../../../ui/ErrorState';
import { Tag } from '../../../ui/Tag';
import classes from './overview.module.css';
import { useScan } from './useScan';
import { actorName } from '../../../messages/actorName';

const SEVERITY_ORDER = ['failed', 'note', 'ok'] as const;
const tones = { failed: 'stop', note: 'wait', ok: 'done' } as const;

/** Findings of the latest security scan, by severity, each with a remedy. Empty before the first scan. */
export function SecurityScan() {
  const { t } = useTranslation('admin');
  const { scan, lost, running, refetch } = useScan();
  const [all, setAll] = useState(false);
  if (!scan) return null;
  const error = lost ? t('scan.lost') : scan.error;
  const sorted = scan.findings.toSorted(
    (a, b) => SEVERITY_ORDER.indexOf(a.state) - SEVERITY_ORDER.indexOf(b.state),
  );
  const good = sorted.filter(({ state }) => state === 'ok').length;
  const shown = all ? sorted : sorted.filter(({ state }) => state !== 'ok');
  return (
    <div id="scan">
      <Section
        title={t('scan.title')}
        actions={
          <span className={classes.more}>
            {t('scan.by', { name: actorName(t, scan.asked_by) })}{' '}
            <RelativeTime at={scan.finished_at ?? scan.asked_at} />
          </span>
        }
        flush
      >
        {running && (
          <div className={classes.waiting} role="status" aria-label={t('actions.scanning')}>
            <ActivitySkeleton />
          </div>
        )}
        {error && <ErrorState message={error} onRetry={() => void refetch()} />}
        {!running && !error && (
          <>
            <ul className={classes.list}>
              {shown.map((finding) => (
                <FindingRow key={finding.name} finding={finding} />
              ))}
            </ul>
            {good > 0 && (
              <div className={classes.footer}>
                <Button variant="subtle" size="compact-sm" aria-expanded={all} onClick={() => setAll(!all)}>
                  {all ? t('scan.hide_good') : t('scan.show_good', { count: good })}
                </Button>
              </div>
            )}
          </>
        )}
      </Section>
    </div>
  );
}

function FindingRow({ finding: { name, text, remedy, state } }: { finding: Finding }) {
  const { t } = useTranslation('admin');
  return (
    <li className={classes.line} aria-label={name}>
      <div className={classes.state}>
        <Tag tone={tones[state]}>{t(`scan.${state}`)}</Tag>
      </div>
      <div className={classes.words}>
        <div className={classes.what}>{name}</div>
        <div className={classes.more}>{text}</div>
        {remedy && <div className={classes.todo}>{remedy}</div>}
      </div>
    </li>
  );
}
