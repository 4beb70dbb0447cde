import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from './DateText';
import { Prose } from './Prose';
import classes from './ActivityList.module.css';

interface Entry {
  id: string;
  at: string;
  text: ReactNode;
}

/** Activity list, newest first. */
export function ActivityList({ entries }: { entries: Entry[] }) {
  return (
    <ol className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <span className={classes.text}>
            <Prose>{entry.text}</Prose>
          </span>
          <span className={classes.at}>
            <RelativeTime at={entry.at} />
          </span>
        </li>
      ))}
    </ol>
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
