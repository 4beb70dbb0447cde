import type { ReactNode } from 'react';
import classes from './Prose.module.css';

/** Multiline text that a person typed: keeps its line breaks, and breaks words that are too long for their place. */
export function Prose({ children }: { children: ReactNode }) {
  return <span className={classes.prose}>{children}</span>;
}
