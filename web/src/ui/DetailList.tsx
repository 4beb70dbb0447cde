import type { ReactNode } from 'react';
import { Prose } from './Prose';
import classes from './DetailList.module.css';

/** Definition list; empty values are omitted. */
export function DetailList({ details }: { details: [label: string, value: ReactNode][] }) {
  return (
    <dl className={classes.list}>
      {details
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Prose>{value}</Prose>
            </dd>
          </div>
        ))}
    </dl>
  );
}
