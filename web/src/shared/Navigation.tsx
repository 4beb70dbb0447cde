import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router-dom';
import { navLink } from '../ui/NavItem';

interface Props {
  to: string;
  icon: Icon;
  label: string;
  /** Only this address, not those below it. */
  end?: boolean;
  /** A count at the end of the entry. */
  children?: ReactNode;
}

/** One entry of a portal's sidebar. */
export function NavEntry({ to, icon: Picture, label, end, children }: Props) {
  return (
    <NavLink className={navLink} to={to} end={end}>
      <Picture size={16} aria-hidden="true" />
      {label}
      {children}
    </NavLink>
  );
}
