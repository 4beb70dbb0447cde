import type { ReactNode } from 'react';
import classes from './TwoColumns.module.css';

interface Props {
  main: ReactNode;
  side: ReactNode;
  /** Narrow column with the subject: first in the document order. */
  sideFirst?: boolean;
}

/** Wide and narrow column, stacked on small screens. */
export function TwoColumns({ main, side, sideFirst = false }: Props) {
  const wide = <div className={classes.column}>{main}</div>;
  return (
    <div className={classes.columns} data-side-first={sideFirst || undefined}>
      {!sideFirst && wide}
      <div className={classes.column}>{side}</div>
      {sideFirst && wide}
    </div>
  );
}

/** Two equal columns. */
export function EqualColumns({ left, right }: { left: ReactNode; right: ReactNode }) {
  return (
    <div className={classes.halves}>
      <div className={classes.column}>{left}</div>
      <div className={classes.column}>{right}</div>
    </div>
  );
}
