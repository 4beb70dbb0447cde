import type { ReactNode } from 'react';
import classes from './ActionGrid.module.css';

/** Buttons of one width, as many in a row as there is room for. */
export function ActionGrid({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}
