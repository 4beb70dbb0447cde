import type { ReactNode } from 'react';
import classes from './NavItem.module.css';

/** Named group of sidebar links. */
export function NavGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.group}>
      <p className={classes.label}>{label}</p>
      {children}
    </div>
  );
}

/** Class of a sidebar link; the router sets aria-current. */
export const navLink = classes.link;
