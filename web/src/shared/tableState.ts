import { errorText } from '../api/errors';
import type { TableState } from '../ui/DataTable';

interface ListQuery<Row> {
  data: Row[] | undefined;
  isPlaceholderData?: boolean;
  error: Error | null;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Table state of a paged query. */
export function tableState<Row>(query: ListQuery<Row>): TableState<Row> {
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
