import { useQuery } from '@tanstack/react-query';
import { queries } from '../../../api/queries';
import type { Backup } from '../../../api/types';

/** After so long one that has not ended is not waited for: its worker may be gone. */
const STALE_AFTER_MS = 60 * 60_000;

const isRunning = (backup: Backup, seen: number) =>
  (backup.state === 'queued' || backup.state === 'running') && seen - Date.parse(backup.asked_at) < STALE_AFTER_MS;

/** The newest backups. While one is made they are asked for again, should its event be missed. */
export function useBackups() {
  const query = useQuery({
    ...queries.backups(),
    refetchInterval: ({ state }) =>
      state.data?.items.some((backup) => isRunning(backup, state.dataUpdatedAt)) ? 3000 : false,
  });
  const backups = query.data?.items;
  return {
    ...query,
    backups,
    making: backups?.some((backup) => isRunning(backup, query.dataUpdatedAt)) ?? false,
    lastGood: backups?.filter(({ state }) => state === 'done').toSorted((a, b) => startedAfter(a, b))[0],
  };
}

const startedAfter = (a: Backup, b: Backup) => (b.made_at ?? '').localeCompare(a.made_at ?? '');
