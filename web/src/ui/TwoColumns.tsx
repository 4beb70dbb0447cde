import type { ReactNode } from 'react';
import classes from './TwoColumns.module.css';

interface Props {
  main: ReactNode;
  side: ReactNode;
  /** The narrow one is what everything else is about: it comes first where there is no room, and for a screen reader. */
  sideFirst?: boolean;
}

/** A wide and a narrow column; below each other where there is no room. */
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

/** Two columns of one width. */
export function EqualColumns({ left, right }: { left: ReactNode; right: ReactNode }) {
  return (
    <div className={classes.halves}>
      <div className={classes.column}>{left}</div>
      <div className={classes.column}>{right}</div>
    </div>
  );
}
