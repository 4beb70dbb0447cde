import type { ReactNode } from 'react';
import classes from './TwoColumns.module.css';

/** A wide and a narrow column; below each other where there is no room. */
export function TwoColumns({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{main}</div>
      <div className={classes.column}>{side}</div>
    </div>
  );
}

/** Two columns of one width. */
export function Halves({ left, right }: { left: ReactNode; right: ReactNode }) {
  return (
    <div className={classes.halves}>
      <div className={classes.column}>{left}</div>
      <div className={classes.column}>{right}</div>
    </div>
  );
}
