import { useQuery } from '@tanstack/react-query';
import { queries } from '../../../api/queries';
import type { Backup } from '../../../api/types';

/** A backup running longer is stale: its worker may be gone. */
const STALE_AFTER_MS = 60 * 60_000;

const isRunning = (backup: Backup, seen: number) =>
  (backup.state === 'queued' || backup.state === 'running') &&
  seen - Date.parse(backup.asked_at) < STALE_AFTER_MS;

/** Latest backups; polled while one is running, in case its event is missed. */
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
