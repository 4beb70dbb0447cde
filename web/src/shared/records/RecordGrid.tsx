import { useInfiniteQuery } from '@tanstack/react-query';
import type { ListOptions } from '../../api/lists';
import type { GridProps } from '../../ui/grid/DataGrid';
import { sortText } from '../../ui/grid/columns';
import { useListQuery } from '../grid/listQuery';
import { listState } from '../grid/listState';
import { RowGrid } from '../grid/RowGrid';
import { withSums } from '../grid/sums';

interface Props<Row> extends Omit<GridProps<Row>, 'state' | 'sort' | 'onSort' | 'onOpen' | 'main'> {
  rows: (order: string | undefined) => ListOptions<Row>;
  /** Sum of a list with amounts, under this column. */
  sumColumn?: string;
}

/** List in a tab of a record; its order is in the URL. */
export function RecordGrid<Row>({ rows, sumColumn, columns, ...grid }: Props<Row>) {
  const { sort, setSort } = useListQuery([]);
  const found = useInfiniteQuery(rows(sort ? sortText(sort) : undefined));
  return (
    <RowGrid
      {...grid}
      main
      columns={withSums(columns, sumColumn, found.data?.total?.sums)}
      state={listState(found)}
      sort={sort}
      onSort={setSort}
    />
  );
}
