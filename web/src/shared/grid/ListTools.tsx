import type { ReactNode } from 'react';
import { FilterChips, type GridFilter } from '../../ui/grid/FilterChips';
import { SearchBox } from '../../ui/SearchBox';
import type { ListQuery } from './listQuery';
import classes from './ListTools.module.css';

interface Props {
  label: string;
  query: Pick<ListQuery, 'q' | 'setQ' | 'filters' | 'setFilter' | 'clear'>;
  /** Label of the search box; none without a search. */
  search?: string;
  filters: GridFilter[];
  /** Buttons at the end. */
  children?: ReactNode;
}

/** Toolbar of a list: search, filters and actions. */
export function ListTools({ label, query, search, filters, children }: Props) {
  return (
    <div className={classes.tools} role="search" aria-label={label}>
      {search && <SearchBox label={search} value={query.q} onChange={query.setQ} />}
      {filters.length > 0 && (
        <FilterChips
          filters={filters}
          values={query.filters}
          onChange={query.setFilter}
          onClear={query.clear}
        />
      )}
      <div className={classes.end}>{children}</div>
    </div>
  );
}
