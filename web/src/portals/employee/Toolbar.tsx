import type { ReactNode } from 'react';
import { SearchBox } from '../../ui/SearchBox';
import classes from './Toolbar.module.css';

interface Props {
  searchLabel: string;
  q: string;
  onSearch: (q: string) => void;
  filters?: ReactNode;
  children?: ReactNode;
}

/** Toolbar of a list: search, filters and actions. */
export function Toolbar({ searchLabel, q, onSearch, filters, children }: Props) {
  return (
    <div className={classes.bar}>
      <SearchBox label={searchLabel} value={q} onChange={onSearch} />
      {filters}
      <div className={classes.actions}>{children}</div>
    </div>
  );
}
