import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

/** The facts that identify a record, in one row; empty ones are omitted. */
export function Facts({ facts }: { facts: [label: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** In the shape of the facts. */
export function FactsSkeleton() {
  return (
    <div className={classes.facts} aria-busy="true">
      {[88, 132, 104, 120].map((width) => (
        <div key={width}>
          <Skeleton height={10} width={56} my={4} />
          <Skeleton height={12} width={width} my={4} />
        </div>
      ))}
    </div>
  );
}
