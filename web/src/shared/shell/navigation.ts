import type { Icon } from '@tabler/icons-react';
import { useLocation } from 'react-router-dom';

/** Number beside an entry: what waits for a person. */
export interface NavCount {
  value: number;
  /** For screen readers, such as "5 open requests". */
  label: string;
  /** These are overdue. */
  overdue?: boolean;
}

/** Page of a portal in its sidebar, its palette and behind `g`. */
export interface NavItem {
  to: string;
  label: string;
  /** Shorter label in the bottom bar of a phone. */
  short?: string;
  icon: Icon;
  /** Only this page; by default also the pages below it. */
  exact?: boolean;
  /** Further path prefixes whose pages belong to this entry. */
  covers?: string[];
  count?: NavCount;
  /** Key after `g`. */
  goKey?: string;
  /** One of the four in the bottom bar of a phone. */
  inBar?: boolean;
}

export interface NavGroup {
  label: string;
  items: NavItem[];
}

const pathOf = (to: string) => to.split(/[?#]/)[0] ?? to;

/** Length of the prefix with which an entry covers a path; 0 if it does not. */
function coverage({ to, exact, covers = [] }: NavItem, pathname: string): number {
  const own = pathOf(to);
  const covered = (prefix: string) => pathname === prefix || pathname.startsWith(`${prefix}/`);
  const prefixes = (exact ? covers : [own, ...covers]).map((prefix) => prefix.replace(/\/$/, ''));
  const lengths = prefixes.filter(covered).map((prefix) => prefix.length);
  return Math.max(0, pathname === own ? own.length : 0, ...lengths);
}

/** The entry of a page: the one with the longest matching prefix. */
export function activeItem(items: NavItem[], pathname: string): NavItem | undefined {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  let found: NavItem | undefined;
  let length = 0;
  for (const item of items) {
    const covered = coverage(item, path);
    if (covered > length) [found, length] = [item, covered];
  }
  return found;
}

export function useActiveItem(items: NavItem[]): NavItem | undefined {
  return activeItem(items, useLocation().pathname);
}
