import type { ReactNode } from 'react';
import classes from './ActionGrid.module.css';

/** Grid of equal-width buttons. */
export function ActionGrid({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}
