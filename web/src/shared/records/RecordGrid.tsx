import { useInfiniteQuery } from '@tanstack/react-query';
import type { ListOptions } from '../../api/lists';
import type { GridProps } from '../../ui/grid/DataGrid';
import { sortText } from '../../ui/grid/columns';
import { useListQuery } from '../grid/listQuery';
import { listState } from '../grid/listState';
import { RowGrid } from '../grid/RowGrid';
import { withSums, type Amount } from '../grid/sums';

interface Props<Row> extends Omit<GridProps<Row>, 'state' | 'sort' | 'onSort' | 'onOpen' | 'main'> {
  rows: (order: string | undefined) => ListOptions<Row>;
  /** Sum of a list with amounts, under this column. */
  sumColumn?: string;
  /** Of the loaded rows, those to show, and the amount of one: their number and sum take the place of the list's. */
  only?: { keep: (row: Row) => boolean; amountOf: (row: Row) => Amount | null };
}

/** List in a tab of a record; its order is in the URL. */
export function RecordGrid<Row>({ rows, sumColumn, only, columns, ...grid }: Props<Row>) {
  const { sort, setSort } = useListQuery([]);
  const found = useInfiniteQuery(rows(sort ? sortText(sort) : undefined));
  const kept = only && found.data?.rows.filter(only.keep);
  const sums = kept
    ? kept.map(only.amountOf).filter((amount) => amount !== null)
    : (found.data?.total?.sums ?? []);
  const state = listState(found);
  return (
    <RowGrid
      {...grid}
      main
      columns={withSums(columns, sumColumn, sums)}
      state={kept ? { ...state, rows: kept, total: { rows: kept.length, exact: !found.hasNextPage } } : state}
      sort={sort}
      onSort={setSort}
    />
  );
}
