import { useQuery } from '@tanstack/react-query';
import { queries } from '../../../api/queries';

/** The newest security scan. While it goes on it is asked for again, should its event be missed. */
export function useScan() {
  const query = useQuery({
    ...queries.latestScan(),
    refetchInterval: ({ state }) => (state.data?.scan && !state.data.scan.finished_at ? 3000 : false),
  });
  const scan = query.data?.scan ?? null;
  return { ...query, scan, running: scan !== null && !scan.finished_at };
}
