import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries';

/**
 * Whether an order page waits for document requests, which stand above and would shift the layout. Waits for the first
 * attempt only, and shows the order without them on error.
 */
export function useWaitsForDocuments(spvId: string): boolean {
  const { isFetched, failureCount, fetchStatus } = useQuery(queries.documentRequests(spvId));
  return !isFetched && failureCount === 0 && fetchStatus === 'fetching';
}
