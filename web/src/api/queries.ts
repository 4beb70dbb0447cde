import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { toPublicPath } from '../basePath';
import { api, body } from './client';
import { trackedFetch } from './connection';
import { meQuery, settingsQuery } from './sessionQueries';
import type {
  Approval,
  Holiday,
  InvoiceStatus,
  LeadStage,
  MailStatus,
  NewInvoice,
  Period,
  ReportName,
  RequestKind,
  RequestPriority,
  RequestStatus,
  Role,
  UserStatus,
} from './types';

/**
 * TanStack Query options, one entry per noun. Every key starts with its noun, so that events can invalidate all of it.
 */

interface Page<Row> {
  items: Row[];
  next_cursor?: string | null;
}

function pages<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Row>) => page.next_cursor ?? undefined,
    select: (data) => data.pages.flatMap((page) => page.items),
    placeholderData: keepPreviousData,
  });
}

/** Polling interval during a virus scan, with backoff. A clean scan sends no event. */
export function scanPollInterval({
  state,
}: {
  state: { data?: unknown; dataUpdateCount: number };
}): number | false {
  const waits = JSON.stringify(state.data)?.includes('"scan":"waiting"');
  return waits ? Math.min(3000 + 500 * state.dataUpdateCount, 30_000) : false;
}

interface Search {
  q?: string;
  limit?: number;
}

/** Company and date range, as a named period or two days. */
interface DateRangeParams {
  company_id: string;
  period?: string;
  from?: string;
  to?: string;
}

export const queries = {
  me: meQuery,
  settings: settingsQuery,

  clients: (query: Search & { status?: string; company_id?: string }) =>
    pages(['clients', query], (cursor, signal) =>
      body(api.GET('/rest/v1/clients', { params: { query: { ...query, cursor } }, signal })),
    ),
  client: (id: string) =>
    queryOptions({
      queryKey: ['clients', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/clients/{id}', { params: { path: { id } }, signal })),
    }),
  companies: (query: Search & { archived?: boolean }) =>
    pages(['companies', query], (cursor, signal) =>
      body(api.GET('/rest/v1/companies', { params: { query: { ...query, cursor } }, signal })),
    ),
  company: (id: string) =>
    queryOptions({
      queryKey: ['companies', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/companies/{id}', { params: { path: { id } }, signal })),
    }),
  isos: (query: Search & { archived?: boolean; company_id?: string }) =>
    pages(['isos', query], (cursor, signal) =>
      body(api.GET('/rest/v1/isos', { params: { query: { ...query, cursor } }, signal })),
    ),
  iso: (id: string) =>
    queryOptions({
      queryKey: ['isos', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/isos/{id}', { params: { path: { id } }, signal })),
    }),
  companySettings: (id: string) =>
    queryOptions({
      queryKey: ['companies', id, 'settings'],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/companies/{id}/settings', { params: { path: { id } }, signal })),
    }),
  companyClients: (id: string, query: Search) => ({
    ...pages(['clients', 'of', id, query], (cursor, signal) =>
      body(
        api.GET('/rest/v1/companies/{id}/clients', {
          params: { path: { id }, query: { ...query, cursor } },
          signal,
        }),
      ),
    ),
    // A company gets no event when a client moves to another one.
    refetchInterval: 60_000,
  }),
  spvs: (
    query: Search & {
      status?: string;
      client_id?: string;
      company_id?: string;
      iso_id?: string;
      country?: string;
      order?: string;
    },
  ) =>
    pages(['spvs', query], (cursor, signal) =>
      body(api.GET('/rest/v1/spvs', { params: { query: { ...query, cursor } }, signal })),
    ),
  spv: (id: string) =>
    queryOptions({
      queryKey: ['spvs', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/spvs/{id}', { params: { path: { id } }, signal })),
    }),
  profile: () =>
    queryOptions({
      queryKey: ['me', 'profile'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/me/profile', { signal })),
    }),
  ownActivity: () =>
    pages(['activity', 'own'], (cursor, signal) =>
      body(api.GET('/rest/v1/me/activity', { params: { query: { cursor, limit: 25 } }, signal })),
    ),
  /** All countries, or the states of one. Immutable. */
  places: (country?: string) =>
    queryOptions({
      queryKey: ['places', country],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/places', { params: { query: { country } }, signal })),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  commissionOverview: (query: { iso_id?: string; period: Period }) =>
    queryOptions({
      queryKey: ['commissions', 'overview', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/commissions/overview', { params: { query }, signal })),
      placeholderData: keepPreviousData,
    }),
  commissionStatement: (query: { iso_id?: string; from?: string; to?: string }) =>
    queryOptions({
      queryKey: ['commissions', 'statement', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/commissions/statement', { params: { query }, signal })),
      placeholderData: keepPreviousData,
    }),
  finances: (query: DateRangeParams) =>
    queryOptions({
      queryKey: ['finances', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/finances', { params: { query }, signal })),
      placeholderData: keepPreviousData,
      // Invoices and payments send no events to companies.
      refetchInterval: 60_000,
    }),
  analytics: (query: DateRangeParams) =>
    queryOptions({
      queryKey: ['analytics', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/analytics', { params: { query }, signal })),
      placeholderData: keepPreviousData,
    }),
  report: (query: DateRangeParams & { report: ReportName; limit?: number }) =>
    infiniteQueryOptions({
      queryKey: ['reports', query],
      queryFn: ({ pageParam, signal }) =>
        body(api.GET('/rest/v1/reports', { params: { query: { ...query, cursor: pageParam } }, signal })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),
  reportSchedules: (company: string) =>
    queryOptions({
      queryKey: ['report_schedules', company],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/report-schedules', { params: { query: { company_id: company } }, signal })),
    }),
  payoutRun: (id: string) =>
    queryOptions({
      queryKey: ['commissions', 'runs', id],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/payout-runs/{id}', { params: { path: { id } }, signal })),
    }),
  payoutPreview: () =>
    queryOptions({
      queryKey: ['commissions', 'runs', 'preview'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/payout-runs/preview', { signal })),
    }),
  payoutRuns: () =>
    pages(['commissions', 'runs'], (cursor, signal) =>
      body(api.GET('/rest/v1/payout-runs', { params: { query: { cursor } }, signal })),
    ),
  leads: (query: { q?: string; stage?: LeadStage; limit?: number }) =>
    pages(['leads', query], (cursor, signal) =>
      body(api.GET('/rest/v1/leads', { params: { query: { ...query, cursor } }, signal })),
    ),
  clientNotes: (id: string) =>
    queryOptions({
      queryKey: ['clients', id, 'notes'],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/clients/{id}/notes', { params: { path: { id } }, signal })),
      select: (found) => found.items,
    }),
  internalNotes: (clientId: string) => ({
    ...pages(['threads', 'notes', clientId], (cursor, signal) =>
      body(
        api.GET('/rest/v1/clients/{id}/internal-notes', {
          params: { path: { id: clientId }, query: { cursor } },
          signal,
        }),
      ),
    ),
    refetchInterval: scanPollInterval,
  }),
  billing: (query: { client_id?: string } = {}) =>
    queryOptions({
      queryKey: ['invoices', 'billing', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/billing', { params: { query }, signal })),
    }),
  invoices: (query: { spv_id?: string; client_id?: string; status?: InvoiceStatus; limit?: number }) =>
    pages(['invoices', query], (cursor, signal) =>
      body(api.GET('/rest/v1/invoices', { params: { query: { ...query, cursor } }, signal })),
    ),
  creditNotes: (query: { spv_id: string }) =>
    pages(['invoices', 'credit notes', query], (cursor, signal) =>
      body(api.GET('/rest/v1/credit-notes', { params: { query: { ...query, cursor } }, signal })),
    ),
  isoAccount: (id: string) =>
    queryOptions({
      queryKey: ['isos', id, 'account'],
      queryFn: async ({ signal }) =>
        (await body(api.GET('/rest/v1/isos/{id}/account', { params: { path: { id } }, signal }))).account,
    }),
  invoicePreview: (invoice: NewInvoice) =>
    queryOptions({
      queryKey: ['invoices', 'preview', invoice],
      queryFn: ({ signal }) => body(api.POST('/rest/v1/invoices/preview', { body: invoice, signal })),
      retry: false,
    }),
  invoice: (id: string) =>
    queryOptions({
      queryKey: ['invoices', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/invoices/{id}', { params: { path: { id } }, signal })),
      refetchInterval: scanPollInterval,
    }),
  requests: (
    query: Search & {
      kind?: RequestKind;
      status?: RequestStatus;
      open?: boolean;
      priority?: RequestPriority;
      assignee_id?: string;
      unassigned?: boolean;
      order?: string;
    },
  ) => ({
    ...pages(['requests', 'list', query], (cursor, signal) =>
      body(api.GET('/rest/v1/requests', { params: { query: { ...query, cursor } }, signal })),
    ),
    refetchInterval: scanPollInterval,
  }),
  request: (id: string) =>
    queryOptions({
      queryKey: ['requests', 'one', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/requests/{id}', { params: { path: { id } }, signal })),
      refetchInterval: scanPollInterval,
    }),
  requestDesk: () =>
    queryOptions({
      queryKey: ['requests', 'desk'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/requests/summary', { signal })),
    }),
  templates: () =>
    queryOptions({
      queryKey: ['templates'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/templates', { signal })),
    }),
  tasks: () =>
    queryOptions({
      queryKey: ['tasks'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/tasks', { signal })),
    }),
  staff: () =>
    queryOptions({
      queryKey: ['staff'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/staff', { signal })),
      select: (found) => found.items,
      staleTime: 60_000,
    }),
  performance: () =>
    queryOptions({
      queryKey: ['performance'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/dashboards/performance', { signal })),
    }),
  documents: (query: Search & { spv_id?: string; client_id?: string }) => ({
    ...pages(['documents', query], (cursor, signal) =>
      body(api.GET('/rest/v1/documents', { params: { query: { ...query, cursor } }, signal })),
    ),
    refetchInterval: scanPollInterval,
  }),
  document: (id: string) =>
    queryOptions({
      queryKey: ['documents', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/documents/{id}', { params: { path: { id } }, signal })),
      refetchInterval: scanPollInterval,
    }),
  /** Bytes of the largest file that the server takes; it answers with binary megabytes. */
  uploadLimit: () =>
    queryOptions({
      queryKey: ['upload limit'],
      queryFn: async ({ signal }) => {
        const answer = await trackedFetch(toPublicPath('/storage/v1/uploads'), { method: 'OPTIONS', signal });
        const limit = Number(answer.headers.get('tus-max-size'));
        return limit > 0 ? limit : null;
      },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  documentRequests: (spvId: string) =>
    queryOptions({
      queryKey: ['document_requests', spvId],
      queryFn: async ({ signal }) => {
        const params = { path: { id: spvId } };
        return (await body(api.GET('/rest/v1/spvs/{id}/document-requests', { params, signal }))).items;
      },
    }),
  search: (q: string) =>
    queryOptions({
      queryKey: ['search', q],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/search', { params: { query: { q } }, signal })),
      select: (found) => found.items,
      staleTime: 5_000,
    }),
  activity: (query: { spv_id?: string; subject_id?: string; limit?: number }) =>
    pages(['activity', query], (cursor, signal) =>
      body(api.GET('/rest/v1/activity', { params: { query: { ...query, cursor } }, signal })),
    ),

  threads: (query: { unread?: boolean; spv_id?: string; client_id?: string }) =>
    pages(['threads', 'list', query], (cursor, signal) =>
      body(api.GET('/rest/v1/threads', { params: { query: { ...query, cursor } }, signal })),
    ),
  thread: (id: string) =>
    queryOptions({
      queryKey: ['threads', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/threads/{id}', { params: { path: { id } }, signal })),
    }),
  messages: (id: string) => ({
    ...pages(['threads', id, 'messages'], (cursor, signal) =>
      body(
        api.GET('/rest/v1/threads/{id}/messages', { params: { path: { id }, query: { cursor } }, signal }),
      ),
    ),
    refetchInterval: scanPollInterval,
  }),
  unreadMessages: () =>
    queryOptions({
      queryKey: ['threads', 'unread'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/threads/unread', { signal })),
    }),

  notifications: () =>
    pages(['notifications', 'list'], (cursor, signal) =>
      body(api.GET('/rest/v1/notifications', { params: { query: { limit: 20, cursor } }, signal })),
    ),
  unreadNotifications: () =>
    queryOptions({
      queryKey: ['notifications', 'unread'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/notifications/unread', { signal })),
    }),
  notificationChoices: () =>
    queryOptions({
      queryKey: ['me', 'notification-choices'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/me/notification-choices', { signal })),
    }),

  users: (query: {
    q?: string;
    role?: Role;
    status?: UserStatus;
    company_id?: string;
    order?: string;
    page?: number;
    limit?: number;
  }) =>
    queryOptions({
      queryKey: ['users', 'list', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/users', { params: { query }, signal })),
      placeholderData: keepPreviousData,
    }),
  user: (id: string) =>
    queryOptions({
      queryKey: ['users', id],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/users/{id}', { params: { path: { id } }, signal })),
    }),
  userSessions: (id: string) =>
    queryOptions({
      queryKey: ['users', id, 'sessions'],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/users/{id}/sessions', { params: { path: { id } }, signal })),
      select: (found) => found.items,
    }),
  userSignIns: (id: string) =>
    pages(['users', id, 'sign-ins'], (cursor, signal) =>
      body(
        api.GET('/rest/v1/users/{id}/sign-ins', {
          params: { path: { id }, query: { limit: 10, cursor } },
          signal,
        }),
      ),
    ),
  userActivity: (id: string) =>
    pages(['users', id, 'activity'], (cursor, signal) =>
      body(
        api.GET('/rest/v1/users/{id}/activity', {
          params: { path: { id }, query: { limit: 15, cursor } },
          signal,
        }),
      ),
    ),
  services: () =>
    queryOptions({
      queryKey: ['services'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/services', { signal })),
      select: (found) => found.items,
    }),
  approvals: (query: { status?: Approval['status'] }) =>
    pages(['approvals', query], (cursor, signal) =>
      body(api.GET('/rest/v1/approvals', { params: { query: { ...query, cursor } }, signal })),
    ),
  /** Acts that wait for a second super admin. */
  pendingApprovals: () =>
    queryOptions({
      queryKey: ['approvals', 'pending'],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/approvals', { params: { query: { status: 'pending', limit: 500 } }, signal })),
      select: (found) => found.items,
    }),
  holidays: (country: Holiday['country']) =>
    queryOptions({
      queryKey: ['holidays', country],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/holidays', { params: { query: { country } }, signal })),
      select: (found) => found.items,
    }),
  /** Days that are no business days, weekends aside. */
  holidayDays: (country: Holiday['country']) =>
    queryOptions({
      queryKey: ['holidays', country],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/holidays', { params: { query: { country } }, signal })),
      select: (found) => new Set(found.items.filter(({ name }) => name !== null).map(({ day }) => day)),
    }),
  addressBlocks: () =>
    queryOptions({
      queryKey: ['rules', 'blocks'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/address-blocks', { signal })),
      select: (found) => found.items,
    }),
  keys: () =>
    queryOptions({
      queryKey: ['rules', 'keys'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/keys', { signal })),
      select: (found) => found.items,
    }),

  clientDashboard: () =>
    queryOptions({
      queryKey: ['dashboards', 'client'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/dashboards/client', { signal })),
    }),
  employeeDashboard: () =>
    queryOptions({
      queryKey: ['dashboards', 'employee'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/dashboards/employee', { signal })),
    }),
  isoDashboard: () =>
    queryOptions({
      queryKey: ['dashboards', 'iso'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/dashboards/iso', { signal })),
    }),
  /** Totals only; partner tables load when opened. */
  companyDashboard: (company_id: string) =>
    queryOptions({
      queryKey: ['dashboards', 'company', company_id],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/dashboards/company', { params: { query: { company_id, limit: 0 } }, signal })),
    }),
  alerts: (query: { open?: boolean; limit?: number }) =>
    pages(['alerts', query], (cursor, signal) =>
      body(api.GET('/rest/v1/alerts', { params: { query: { ...query, cursor } }, signal })),
    ),
  probes: () =>
    queryOptions({
      queryKey: ['probes'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/probes', { signal })),
    }),
  latestScan: () =>
    queryOptions({
      queryKey: ['scans'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/scans/latest', { signal })),
    }),
  backups: () =>
    queryOptions({
      queryKey: ['backups'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/backups', { signal })),
    }),
  imports: () =>
    queryOptions({
      queryKey: ['imports'],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/imports', { signal })),
    }),
  mails: (query: { status?: MailStatus; limit?: number }) =>
    pages(['mails', query], (cursor, signal) =>
      body(api.GET('/rest/v1/mails', { params: { query: { ...query, cursor } }, signal })),
    ),
  jobs: (query: { status?: string; limit?: number }) =>
    pages(['jobs', query], (cursor, signal) =>
      body(api.GET('/rest/v1/jobs', { params: { query: { ...query, cursor } }, signal })),
    ),
  logs: (query: {
    who?: string;
    role?: string;
    what?: string;
    subject?: string;
    from?: string;
    to?: string;
    address?: string;
    limit?: number;
  }) =>
    pages(['logs', query], (cursor, signal) =>
      body(api.GET('/rest/v1/logs', { params: { query: { ...query, cursor } }, signal })),
    ),
  officeAnalytics: (query: { period?: string; from?: string; to?: string }) =>
    queryOptions({
      queryKey: ['analytics', 'office', query],
      queryFn: ({ signal }) => body(api.GET('/rest/v1/analytics/office', { params: { query }, signal })),
      placeholderData: keepPreviousData,
    }),
  /** User counts only, with the smallest page size. */
  adminDashboard: () =>
    queryOptions({
      queryKey: ['dashboards', 'admin'],
      queryFn: ({ signal }) =>
        body(api.GET('/rest/v1/dashboards/admin', { params: { query: { limit: 1 } }, signal })),
    }),
};
