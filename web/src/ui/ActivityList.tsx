import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Ago } from './DateText';
import classes from './ActivityList.module.css';

interface Entry {
  id: string;
  at: string;
  text: ReactNode;
}

/** What happened, newest first. */
export function ActivityList({ entries }: { entries: Entry[] }) {
  return (
    <ol className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <span className={classes.text}>{entry.text}</span>
          <span className={classes.at}>
            <Ago at={entry.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

export function ActivityWaiting() {
  return (
    <div className={classes.waiting} aria-hidden="true">
      {['80%', '60%', '70%', '50%'].map((width) => (
        <Skeleton key={width} height={12} width={width} />
      ))}
    </div>
  );
}
