import { useInfiniteQuery } from '@tanstack/react-query';
import { lists } from '../../api/lists';
import type { Spv } from '../../api/types';
import { number } from '../../messages/format';

export interface OrdersOf {
  client_id?: string;
  company_id?: string;
  iso_id?: string;
}

/** Largest page: the API filters by one status, so open orders are selected here. */
const PAGE_SIZE = 500;

/** Orders of a record. */
export const recordOrders = (of: OrdersOf, order?: string) => lists.spvs({ ...of, order, limit: PAGE_SIZE });

export function isOpenOrder({ status }: Pick<Spv, 'status'>): boolean {
  return status !== 'closed' && status !== 'cancelled';
}

/** Number of open orders of a record; a dash while it is unknown. */
export function useOpenOrderCount(of: OrdersOf): string {
  const { data, hasNextPage } = useInfiniteQuery(recordOrders(of));
  return data ? number(data.rows.filter(isOpenOrder).length) + (hasNextPage ? '+' : '') : '—';
}
