import { errorText } from '../../api/errors';
import type { GridState } from '../../ui/grid/columns';
import type { ListData } from '../../api/lists';

interface Query<Row> {
  data: ListData<Row> | undefined;
  isPlaceholderData: boolean;
  error: Error | null;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Grid state of a paged query. */
export function listState<Row>(query: Query<Row>): GridState<Row> {
  return {
    rows: query.data?.rows,
    total: query.data?.total,
    stale: query.isPlaceholderData,
    error: query.error ? errorText(query.error) : null,
    retry: () => void query.refetch(),
    more: query.hasNextPage
      ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage }
      : undefined,
  };
}
