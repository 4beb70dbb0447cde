import { useSearchParams } from 'react-router-dom';
import { listPath, type EmployeeTab } from '../../paths';
import type { GridState } from '../../ui/grid/columns';

/** Rows of a list on the dashboard. */
export const PREVIEW_ROWS = 10;

/** The first rows, without a way to load more. */
export function previewState<Row>(state: GridState<Row>): GridState<Row> {
  return { ...state, rows: state.rows?.slice(0, PREVIEW_ROWS), more: undefined };
}

/** Link to the whole list with the filters of the dashboard tab. */
export function useListPath(list: EmployeeTab): string {
  const [params] = useSearchParams();
  const filters = new URLSearchParams(params);
  filters.delete('tab');
  return listPath(list, filters);
}
