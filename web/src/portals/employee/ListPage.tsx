import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/PageHeader';
import classes from './ListPage.module.css';

/** Page of a list of staff. */
export function ListPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title={title} />
      <div className={classes.list}>{children}</div>
    </>
  );
}
