import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { queries } from '../../api/queries';

/**
 * Whether an order page waits for document requests, which stand above and would shift the layout. Waits for the first
 * attempt only, and shows the order without them on error.
 */
export function useWaitsForDocuments(spvId: string): boolean {
  return isFirstAttempt(useQuery(queries.documentRequests(spvId)));
}

/** The same for all lists of the order page of a client, which stand below one another and are linked to (#messages). */
export function useWaitsForLists(spvId: string): boolean {
  const requests = useQuery(queries.documentRequests(spvId));
  const documents = useInfiniteQuery(queries.documents({ spv_id: spvId }));
  const threads = useInfiniteQuery(queries.threads({ spv_id: spvId }));
  const { hash } = useLocation();
  const thread = threads.data?.[0]?.id;
  // A round trip more: only where the page opens at a section near the messages.
  const messages = useInfiniteQuery({ ...queries.messages(thread ?? ''), enabled: Boolean(hash && thread) });
  const waits = [requests, documents, threads, messages].some(isFirstAttempt);
  // What is shown stays, also when the first message begins a thread.
  const [shown, setShown] = useState<string>();
  if (!waits && shown !== spvId) setShown(spvId);
  return waits && shown !== spvId;
}

interface Attempt {
  isFetched: boolean;
  failureCount: number;
  fetchStatus: string;
}

const isFirstAttempt = ({ isFetched, failureCount, fetchStatus }: Attempt) =>
  !isFetched && failureCount === 0 && fetchStatus === 'fetching';
