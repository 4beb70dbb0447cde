import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { queries } from '../../api/queries';

/**
 * Whether an order page still loads its document requests for the first time: they are above other content, which would
 * shift. False after the first attempt, so the order appears without them on error.
 */
export function useRequestsInitialLoad(spvId: string): boolean {
  return isFirstAttempt(useQuery(queries.documentRequests(spvId)));
}

/** The same for the order page of a client. With a hash also for the lists above and in that section. */
export function useSectionsInitialLoad(spvId: string): boolean {
  const requests = useQuery(queries.documentRequests(spvId));
  const documents = useInfiniteQuery(queries.documents({ spv_id: spvId }));
  const threads = useInfiniteQuery(queries.threads({ spv_id: spvId }));
  const { hash } = useLocation();
  const thread = threads.data?.[0]?.id;
  const messages = useInfiniteQuery({ ...queries.messages(thread ?? ''), enabled: Boolean(hash && thread) });
  const isLoading = (hash ? [requests, documents, threads, messages] : [requests]).some(isFirstAttempt);
  // Once for each order: the skeleton does not come back when a link adds a hash or the first message creates a thread.
  const [loaded, setLoaded] = useState<string>();
  if (!isLoading && loaded !== spvId) setLoaded(spvId);
  return isLoading && loaded !== spvId;
}

interface Attempt {
  isFetched: boolean;
  failureCount: number;
  fetchStatus: string;
}

const isFirstAttempt = ({ isFetched, failureCount, fetchStatus }: Attempt) =>
  !isFetched && failureCount === 0 && fetchStatus === 'fetching';
