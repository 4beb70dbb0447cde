import { tableState } from '../tableState';

/** A paged query as table state, with the number of its rows for a tab. */
export function listed<Row>(query: Parameters<typeof tableState<Row>>[0]) {
  const rows = query.data?.length;
  return {
    state: tableState(query),
    count: rows === undefined ? undefined : `${rows}${query.hasNextPage ? '+' : ''}`,
  };
}
