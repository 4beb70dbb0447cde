import { useQuery } from '@tanstack/react-query';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Task } from '../../../api/types';
import type { GridState } from '../../../ui/grid/columns';

/** Tasks of the current user, limited where space is short. */
export function useTasks(first?: number): { state: GridState<Task>; count: number; more: boolean } {
  const { data, error, refetch } = useQuery(queries.tasks());
  return {
    count: data?.items.length ?? 0,
    more: data?.more ?? false,
    state: {
      rows: first === undefined ? data?.items : data?.items.slice(0, first),
      error: error ? errorText(error) : null,
      retry: () => void refetch(),
    },
  };
}
