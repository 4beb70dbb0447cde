import { IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import classes from './Crumb.module.css';

/** Link to the parent of a page, for `trail` of the page header. */
export function Crumb({ to, children }: { to: string; children: ReactNode }) {
  return (
    <>
      <Link className={classes.crumb} to={to}>
        {children}
      </Link>
      <IconChevronRight className={classes.mark} size={14} aria-hidden="true" />
    </>
  );
}
