import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router-dom';
import { navLink } from '../ui/NavItem';

interface Props {
  to: string;
  icon: Icon;
  label: string;
  /** Exact match only. */
  end?: boolean;
  /** Badge of the entry. */
  children?: ReactNode;
}

/** Entry of the sidebar. */
export function NavEntry({ to, icon: Picture, label, end, children }: Props) {
  return (
    <NavLink className={navLink} to={to} end={end}>
      <Picture size={16} aria-hidden="true" />
      {label}
      {children}
    </NavLink>
  );
}
