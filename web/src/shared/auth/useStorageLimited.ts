import { useEffect, useSyncExternalStore } from 'react';
import { isStorageLimited, onStorageLimited, probeStorage } from '../../api/browserStorage';

/** Whether browser storage is limited, so that a session ends with the page. */
export function useStorageLimited(): boolean {
  const limited = useSyncExternalStore(onStorageLimited, isStorageLimited);
  useEffect(() => void probeStorage(), []);
  return limited;
}
