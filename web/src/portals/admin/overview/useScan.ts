import { useQuery } from '@tanstack/react-query';
import { queries } from '../../../api/queries';

/** A scan running longer is stale: its worker may be gone. */
const STALE_AFTER_MS = 5 * 60_000;

interface Scan {
  asked_at: string;
  finished_at: string | null;
}

const isRunning = (scan: Scan | null | undefined) => !!scan && !scan.finished_at;
const isStale = (scan: Scan | null | undefined, seen: number) =>
  !!scan && !scan.finished_at && seen - Date.parse(scan.asked_at) > STALE_AFTER_MS;

/** Latest security scan; polled while running, in case its event is missed. */
export function useScan() {
  const query = useQuery({
    ...queries.latestScan(),
    refetchInterval: ({ state }) =>
      isRunning(state.data?.scan) && !isStale(state.data?.scan, state.dataUpdatedAt) ? 3000 : false,
  });
  const scan = query.data?.scan ?? null;
  const lost = isStale(scan, query.dataUpdatedAt);
  return { ...query, scan, lost, running: isRunning(scan) && !lost };
}
