import type { ReactNode } from 'react';
import classes from './Prose.module.css';

/** Multiline user text: preserves line breaks, breaks long words. */
export function Prose({ children }: { children: ReactNode }) {
  return <span className={classes.prose}>{children}</span>;
}
