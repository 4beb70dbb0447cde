import { useQuery } from '@tanstack/react-query';
import { queries } from '../../../api/queries';

/** After so long a scan that has not ended was lost, with whoever did it. */
const patience = 5 * 60_000;

interface Scan {
  asked_at: string;
  finished_at: string | null;
}

const isUnfinished = (scan: Scan | null | undefined) => !!scan && !scan.finished_at;
const isLost = (scan: Scan | null | undefined, seen: number) =>
  !!scan && !scan.finished_at && seen - Date.parse(scan.asked_at) > patience;

/** The newest security scan. While it goes on it is asked for again, should its event be missed. */
export function useScan() {
  const query = useQuery({
    ...queries.latestScan(),
    refetchInterval: ({ state }) =>
      isUnfinished(state.data?.scan) && !isLost(state.data?.scan, state.dataUpdatedAt) ? 3000 : false,
  });
  const scan = query.data?.scan ?? null;
  const lost = isLost(scan, query.dataUpdatedAt);
  return { ...query, scan, lost, running: isUnfinished(scan) && !lost };
}
