import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries';

/**
 * Whether an order is to be shown only with what is asked of its client, which stands above the rest and would move it
 * when it comes. An order without it is better than none: only the first try is waited for, and only once.
 */
export function useWaitsForDocuments(spvId: string): boolean {
  const { isFetched, failureCount, fetchStatus } = useQuery(queries.documentRequests(spvId));
  return !isFetched && failureCount === 0 && fetchStatus === 'fetching';
}
