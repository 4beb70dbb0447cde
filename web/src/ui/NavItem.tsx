import type { ReactNode } from 'react';
import classes from './NavItem.module.css';

/** A group of sidebar links with its name. */
export function NavGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.group}>
      <p className={classes.label}>{label}</p>
      {children}
    </div>
  );
}

/** The class of a sidebar link; the router marks the current one with aria-current. */
export const navLink = classes.link;
