import { useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import { parseSort, sortText, type Sort } from '../../ui/grid/columns';

/** What a list shows, as in the URL: search, filters and order. */
export interface ListQuery {
  q: string;
  filters: Record<string, string>;
  sort: Sort | null;
  /** The same as a query string in a fixed order, by which saved views are compared. */
  text: string;
  setQ: (q: string) => void;
  setFilter: (key: string, value: string) => void;
  setSort: (sort: Sort | null) => void;
  /** Removes search and filters, and keeps the order. */
  clear: () => void;
}

/** The parts of a query string that belong to a list, sorted. */
export function listParams(params: URLSearchParams, keys: string[]): string {
  const known = ['q', ...keys, 'sort'];
  const kept = new URLSearchParams();
  for (const key of known.toSorted()) {
    const value = params.get(key);
    if (value) kept.set(key, value);
  }
  return kept.toString();
}

/** Search, filters and order of a list in the URL. `keys` are those of its filters. */
export function useListQuery(keys: string[]): ListQuery {
  const [params, setParams] = useSearchParams();
  const known = keys.join(' ');
  return useMemo(() => {
    const filterKeys = known ? known.split(' ') : [];
    const change = (edit: (next: URLSearchParams) => void) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          edit(next);
          return next;
        },
        // Synchronous, so the list and exports match the URL.
        { replace: true, preventScrollReset: true, flushSync: true },
      );
    const put = (key: string, value: string) =>
      change((next) => {
        if (value) next.set(key, value);
        else next.delete(key);
      });
    return {
      q: params.get('q') ?? '',
      filters: Object.fromEntries(filterKeys.map((key) => [key, params.get(key) ?? ''])),
      sort: parseSort(params.get('sort') ?? ''),
      text: listParams(params, filterKeys),
      setQ: (q) => put('q', q),
      setFilter: put,
      setSort: (sort) => put('sort', sort ? sortText(sort) : ''),
      clear: () => change((next) => ['q', ...filterKeys].forEach((key) => next.delete(key))),
    };
  }, [params, setParams, known]);
}
