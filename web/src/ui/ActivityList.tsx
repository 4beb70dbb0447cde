import { Skeleton, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from './DateText';
import { Prose } from './Prose';
import classes from './ActivityList.module.css';

interface Entry {
  id: string;
  at: string;
  text: ReactNode;
  /** Consecutive entries of one action within a minute collapse. */
  action?: string;
}

/** Shorter runs are listed whole. */
const MIN_RUN = 3;

/** Activity list, newest first, of at most `max` runs. */
export function ActivityList({ entries, max }: { entries: Entry[]; max?: number }) {
  return (
    <ol className={classes.list}>
      {groupRuns(entries)
        .slice(0, max)
        .map((run) =>
          run.length < MIN_RUN ? (
            run.map((entry) => <Line key={entry.id} entry={entry} />)
          ) : (
            <Run key={run.at(-1)?.id} entries={run} />
          ),
        )}
    </ol>
  );
}

function groupRuns(entries: Entry[]): Entry[][] {
  const minute = ({ at }: Entry) => at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const [head] = run ?? [];
    if (run && head && entry.action && head.action === entry.action && minute(head) === minute(entry)) {
      run.push(entry);
    } else runs.push([entry]);
  }
  return runs;
}

/** A collapsed run: its newest entry and the number of the others, which open in place. */
function Run({ entries }: { entries: Entry[] }) {
  const { t } = useTranslation('common');
  const [open, setOpen] = useState(false);
  const [head, ...rest] = entries;
  return (
    head && (
      <>
        <Line entry={head}>
          {' · '}
          <UnstyledButton className={classes.more} onClick={() => setOpen(!open)}>
            {open ? t('activity.fewer') : t('activity.more', { count: rest.length })}
          </UnstyledButton>
        </Line>
        {open && rest.map((entry) => <Line key={entry.id} entry={entry} />)}
      </>
    )
  );
}

function Line({ entry, children }: { entry: Entry; children?: ReactNode }) {
  return (
    <li>
      <span className={classes.text}>
        <Prose>{entry.text}</Prose>
      </span>
      <span className={classes.at}>
        <RelativeTime at={entry.at} />
        {children}
      </span>
    </li>
  );
}

const SKELETON_WIDTHS = ['80%', '60%', '70%', '50%'];

/** Skeleton with the height of this many entries. */
export function ActivitySkeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className={classes.waiting} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row}>
          <Skeleton height={12} width={SKELETON_WIDTHS[row % SKELETON_WIDTHS.length]} />
          <Skeleton height={10} width="25%" />
        </div>
      ))}
    </div>
  );
}
