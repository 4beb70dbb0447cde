import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../../api/queries';
import { isActive } from '../../../shared/spvs/dueDates';
import { documentNeeds, stepNeeds, type Need } from './clientNeeds';

/** Open orders whose steps and documents are read; clients rarely have more than three. */
const MAX_ORDERS = 20;

/** What waits for the client over all orders, most urgent first; undefined while loading. */
export function useNeeds() {
  const orders = useInfiniteQuery(queries.spvs({}));
  const due = useInfiniteQuery(queries.invoices({ status: 'due' }));
  const partPaid = useInfiniteQuery(queries.invoices({ status: 'part_paid' }));
  const threads = useInfiniteQuery(queries.threads({ unread: true }));
  const open = orders.data?.filter(isActive).slice(0, MAX_ORDERS) ?? [];
  const details = useQueries({ queries: open.map((spv) => queries.spv(spv.id)) });
  const requests = useQueries({ queries: open.map((spv) => queries.documentRequests(spv.id)) });
  const all = [orders, due, partPaid, threads, ...details, ...requests];
  const loading = all.some((query) => query.isPending);
  // The list appears complete; what is read later joins it.
  const [wasComplete, setWasComplete] = useState(false);
  if (!loading && !wasComplete) setWasComplete(true);
  const failed = all.find((query) => query.error && query.data === undefined);
  const known = details.flatMap(({ data }) => (data ? [data] : []));
  const needs: Need[] = known.flatMap((spv) => {
    const asked = requests[open.findIndex(({ id }) => id === spv.id)]?.data ?? [];
    return [...documentNeeds(spv, asked), ...stepNeeds(spv, asked)];
  });
  const nameOf = (of: { spv_id: string | null; spv_identifier: string | null }) =>
    orders.data?.find(({ id }) => id === of.spv_id)?.vehicle_name ?? of.spv_identifier;
  for (const invoice of [...(due.data ?? []), ...(partPaid.data ?? [])]) {
    const order = nameOf(invoice) ?? invoice.spv_identifier;
    needs.push({ kind: 'invoice', id: invoice.id, due: invoice.due_date, invoice, order });
  }
  for (const thread of threads.data ?? []) {
    needs.push({ kind: 'message', id: thread.id, due: null, thread, order: nameOf(thread) });
  }
  return {
    needs: loading && !wasComplete ? undefined : needs.toSorted(byUrgency),
    error: failed?.error,
    retry: () => void Promise.all(all.map((query) => query.refetch())),
    /** Open orders with their steps. */
    orders: known,
  };
}

/** Dates first, then what has none. */
const byUrgency = (one: Need, other: Need) => (one.due ?? '9').localeCompare(other.due ?? '9');
