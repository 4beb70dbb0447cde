import { errorText } from '../../api/errors';
import type { ListData } from '../../api/lists';
import type { GridState } from '../../ui/grid/columns';

interface Query<Data> {
  data: Data | undefined;
  isPlaceholderData?: boolean;
  error: Error | null;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Grid state of a list with the number of its rows. */
export function listState<Row>(query: Query<ListData<Row>>): GridState<Row> {
  return { ...rowsState({ ...query, data: query.data?.rows }), total: query.data?.total };
}

/** Grid state of a paged query without a total. */
export function rowsState<Row>(query: Query<Row[]>): GridState<Row> {
  return {
    rows: query.data,
    stale: query.isPlaceholderData,
    error: query.error ? errorText(query.error) : null,
    retry: () => void query.refetch(),
    more: query.hasNextPage
      ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage }
      : undefined,
  };
}
