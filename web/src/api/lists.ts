import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query';
import { api, body } from './client';
import { scanPollInterval } from './queries';
import type { operations } from './schema';
import type { ListName } from './types';

/** Queries of the lists: pages with the number of all rows and their sums. Their keys begin with the noun of events. */

interface Total {
  rows: number;
  exact: boolean;
  sums: { currency: string; amount: string }[];
}

interface Page<Row> {
  items: Row[];
  next_cursor?: string | null;
  total?: Total | null;
}

/** The loaded rows of a list. */
export interface ListData<Row> {
  rows: Row[];
  total: Total | undefined;
}

type PageParams = { cursor?: string; count?: boolean };

export type ListOptions<Row> = UseInfiniteQueryOptions<
  Page<Row>,
  Error,
  ListData<Row>,
  QueryKey,
  string | undefined
>;

function list<Row>(
  key: readonly unknown[],
  load: (page: PageParams, signal: AbortSignal) => Promise<Page<Row>>,
): ListOptions<Row> {
  return infiniteQueryOptions({
    // Apart from the queries without a count.
    queryKey: [...key, 'counted'] as QueryKey,
    // Counted once, with the first page.
    queryFn: ({ pageParam, signal }) =>
      load(pageParam === undefined ? { count: true } : { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Row>) => page.next_cursor ?? undefined,
    select: (data: InfiniteData<Page<Row>>) => ({
      rows: data.pages.flatMap((page) => page.items),
      total: data.pages[0]?.total ?? undefined,
    }),
    placeholderData: keepPreviousData,
  }) as ListOptions<Row>;
}

type QueryOf<Operation extends keyof operations> = Omit<
  NonNullable<operations[Operation]['parameters']['query']>,
  'cursor' | 'count'
>;

export type CallQuery = QueryOf<'call_list'>;
export type ClientQuery = QueryOf<'client_list'>;
export type CommissionQuery = QueryOf<'commission_list'>;
export type CompanyQuery = QueryOf<'company_list'>;
export type DocumentQuery = QueryOf<'document_list'>;
export type InvoiceQuery = QueryOf<'invoice_list'>;
export type IsoQuery = QueryOf<'iso_list'>;
export type LeadQuery = QueryOf<'lead_list'>;
export type MemberQuery = QueryOf<'company_member_list'>;
export type RequestQuery = QueryOf<'request_list'>;
export type SpvQuery = QueryOf<'spv_list'>;
export type UserQuery = QueryOf<'user_list'>;

export const lists = {
  calls: (query: CallQuery) =>
    list(['calls', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/calls', { params: { query: { ...query, ...page } }, signal })),
    ),
  clients: (query: ClientQuery) =>
    list(['clients', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/clients', { params: { query: { ...query, ...page } }, signal })),
    ),
  commissions: (query: CommissionQuery) =>
    list(['commissions', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/commissions', { params: { query: { ...query, ...page } }, signal })),
    ),
  companies: (query: CompanyQuery) =>
    list(['companies', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/companies', { params: { query: { ...query, ...page } }, signal })),
    ),
  documents: (query: DocumentQuery) => ({
    ...list(['documents', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/documents', { params: { query: { ...query, ...page } }, signal })),
    ),
    refetchInterval: scanPollInterval,
  }),
  invoices: (query: InvoiceQuery) =>
    list(['invoices', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/invoices', { params: { query: { ...query, ...page } }, signal })),
    ),
  isos: (query: IsoQuery) =>
    list(['isos', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/isos', { params: { query: { ...query, ...page } }, signal })),
    ),
  leads: (query: LeadQuery) =>
    list(['leads', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/leads', { params: { query: { ...query, ...page } }, signal })),
    ),
  members: (id: string, query: MemberQuery) =>
    list(['companies', id, 'members', 'list', query], (page, signal) =>
      body(
        api.GET('/rest/v1/companies/{id}/members', {
          params: { path: { id }, query: { ...query, ...page } },
          signal,
        }),
      ),
    ),
  requests: (query: RequestQuery) => ({
    ...list(['requests', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/requests', { params: { query: { ...query, ...page } }, signal })),
    ),
    refetchInterval: scanPollInterval,
  }),
  spvs: (query: SpvQuery) =>
    list(['spvs', 'list', query], (page, signal) =>
      body(api.GET('/rest/v1/spvs', { params: { query: { ...query, ...page } }, signal })),
    ),
  users: (query: UserQuery) =>
    list(['users', 'list', query], async ({ cursor }, signal) => {
      const found = await body(
        api.GET('/rest/v1/users', { params: { query: { ...query, cursor } }, signal }),
      );
      return { ...found, total: { rows: found.total, exact: found.total_is_exact, sums: [] } };
    }),
};

/** Own saved views of a list, in their order. */
export const savedViews = (name: ListName) =>
  queryOptions({
    queryKey: ['saved_views', name],
    queryFn: ({ signal }) =>
      body(api.GET('/rest/v1/me/views', { params: { query: { list: name } }, signal })),
    select: (found) => found.items,
    staleTime: 60_000,
  });
