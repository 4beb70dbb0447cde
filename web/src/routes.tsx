import type { ComponentType } from 'react';
import { createBrowserRouter, redirect, useParams, type RouteObject } from 'react-router-dom';
import { basePath } from './basePath';
import { queryClient } from './api/cache';
import { meQuery } from './api/sessionQueries';
import { accessToken } from './api/session';
import { loadFrameMessages } from './messages/landingMessages';
import { resolvePortalPath, portalRelativePaths, paths, shortcutRedirects, requestsPath } from './paths';
import { RouterError } from './portals/public/RouterError';
import { publicRoutes } from './portals/public/routes';
import { requireRole, shouldRevalidate, requireRoleOrRedirect, guardedHandle } from './shared/session/guard';
import { newIdempotencyKey } from './shared/idempotencyKey';
import { Root } from './shared/Root';

const portal = { handle: guardedHandle, shouldRevalidate };

/** Security page of every portal but the client, whose profile includes it. */
const own: RouteObject[] = [
  { path: 'security', lazy: () => import('./shared/security/SecurityPage') },
  { path: 'notifications', lazy: () => import('./shared/notifications/NotificationPreferencesPage') },
];

/** Preferences of staff; partners and company admins have theirs in profile and settings. */
const preferences: RouteObject = {
  path: 'preferences',
  lazy: () => import('./shared/settings/PreferencesPage'),
};

/** Page of one record. It is mounted anew for another one: dialogs and input do not stay from the one before. */
function record(path: string, load: () => Promise<{ Component: ComponentType }>): RouteObject {
  return {
    path,
    lazy: async () => {
      const { Component } = await load();
      return {
        Component: function Record() {
          return <Component key={useParams().id} />;
        },
      };
    },
  };
}

const portals: RouteObject[] = [
  {
    path: paths.clientDashboard,
    ...portal,
    loader: requireRole('client'),
    lazy: () => import('./portals/client/ClientPortal'),
    children: [
      { index: true, lazy: () => import('./portals/client/DashboardPage') },
      { path: 'orders', lazy: () => import('./portals/client/OrdersPage') },
      record('orders/:id', () => import('./portals/client/order/OrderPage')),
      { path: 'billing', lazy: () => import('./portals/client/billing/BillingPage') },
      record('billing/:id', () => import('./portals/client/billing/InvoicePage')),
      { path: 'orders/new', lazy: () => import('./portals/client/requests/NewOrderPage') },
      { path: 'requests', lazy: () => import('./portals/client/requests/RequestsPage') },
      { path: 'messages', lazy: () => import('./portals/client/MessagesPage') },
      { path: 'documents', lazy: () => import('./portals/client/DocumentsPage') },
      record('documents/:id', () => import('./portals/client/DocumentPage')),
      { path: 'activity', lazy: () => import('./portals/client/ActivityPage') },
    ],
  },
  {
    path: paths.clientProfile,
    ...portal,
    loader: requireRole('client'),
    lazy: () => import('./portals/client/ClientPortal'),
    children: [{ index: true, lazy: () => import('./portals/client/profile/ProfilePage') }],
  },
  {
    path: paths.employeeDashboard,
    ...portal,
    loader: requireRole('employee', 'super_admin'),
    lazy: () => import('./portals/employee/EmployeePortal'),
    children: [
      { index: true, lazy: () => import('./portals/employee/DashboardPage') },
      { path: 'spvs', lazy: () => import('./portals/employee/spvs/SpvsPage') },
      record('orders/:id', () => import('./portals/employee/order/OrderPage')),
      { path: 'clients', lazy: () => import('./portals/employee/clients/ClientsPage') },
      record('clients/:id', () => import('./portals/employee/clients/ClientPage')),
      record('companies/:id', () => import('./portals/employee/companies/CompanyPage')),
      record('isos/:id', () => import('./portals/employee/isos/IsoPage')),
      { path: 'companies', lazy: () => import('./portals/employee/companies/CompaniesPage') },
      { path: 'isos', lazy: () => import('./portals/employee/isos/IsosPage') },
      { path: 'invoices', lazy: () => import('./portals/employee/invoices/InvoicesPage') },
      record('invoices/:id', () => import('./portals/employee/invoices/InvoicePage')),
      // Moved to its own page with filters.
      { path: 'requests', loader: ({ request }) => redirectToDesk(request), element: <></> },
      { path: 'commissions', lazy: () => import('./portals/employee/commissions/CommissionsPage') },
      { path: 'commissions/payouts', lazy: () => import('./portals/employee/commissions/PayoutsPage') },
      record('commissions/payouts/:id', () => import('./portals/employee/commissions/PayoutRunPage')),
      { path: 'leads', lazy: () => import('./portals/employee/leads/LeadsPage') },
      { path: 'calls', lazy: () => import('./portals/employee/calls/CallsPage') },
      { path: 'tasks', lazy: () => import('./portals/employee/tasks/TasksPage') },
      { path: 'messages', lazy: () => import('./portals/employee/MessagesPage') },
      { path: 'documents', lazy: () => import('./portals/employee/DocumentsPage') },
      record('documents/:id', () => import('./portals/employee/DocumentPage')),
      { path: 'templates', lazy: () => import('./portals/employee/templates/TemplatesPage') },
      { path: 'price-list', lazy: () => import('./portals/employee/pricelist/PriceListPage') },
      ...own,
      preferences,
    ],
  },
  {
    // Staff only; other roles are redirected to their own requests.
    path: paths.requestManagement,
    ...portal,
    loader: requireRoleOrRedirect(['employee', 'super_admin'], requestsPath),
    lazy: () => import('./portals/employee/EmployeePortal'),
    children: [
      { index: true, lazy: () => import('./portals/employee/requests/DeskPage') },
      record(':id', () => import('./portals/employee/requests/RequestPage')),
    ],
  },
  {
    path: paths.isoDashboard,
    ...portal,
    loader: requireRole('iso'),
    lazy: () => import('./portals/iso/IsoPortal'),
    children: [
      { index: true, lazy: () => import('./portals/iso/DashboardPage') },
      { path: 'clients', lazy: () => import('./portals/iso/clients/ClientsPage') },
      record('clients/:id', () => import('./portals/iso/clients/ClientPage')),
      record('orders/:id', () => import('./portals/iso/OrderPage')),
      { path: 'commissions', lazy: () => import('./portals/iso/commissions/CommissionsPage') },
      { path: 'commissions/statement', lazy: () => import('./portals/iso/commissions/StatementPage') },
      { path: 'leads', lazy: () => import('./portals/iso/leads/LeadsPage') },
      { path: 'calls', lazy: () => import('./portals/iso/calls/CallsPage') },
      { path: 'requests', lazy: () => import('./shared/requests/OwnRequestsPage') },
      { path: 'profile', lazy: () => import('./portals/iso/ProfilePage') },
      ...own,
    ],
  },
  {
    path: paths.companyDashboard,
    ...portal,
    loader: requireRole('company_admin', 'super_admin'),
    lazy: () => import('./portals/company/CompanyPortal'),
    children: [
      {
        // Pages of one company, which a super admin selects first.
        lazy: () => import('./portals/company/CompanyScope'),
        children: [
          { index: true, lazy: () => import('./portals/company/DashboardPage') },
          { path: 'spv', lazy: () => import('./portals/company/SpvsPage') },
          record('spv/:id', () => import('./portals/company/SpvPage')),
          { path: 'employees', lazy: () => import('./portals/company/EmployeesPage') },
          { path: 'clients', lazy: () => import('./portals/company/ClientsPage') },
          { path: 'settings', lazy: () => import('./portals/company/SettingsPage') },
          { path: 'analytics', lazy: () => import('./portals/company/finances/AnalyticsPage') },
          { path: 'finances', lazy: () => import('./portals/company/finances/FinancesPage') },
          { path: 'reports', lazy: () => import('./portals/company/finances/ReportsPage') },
        ],
      },
      { path: 'requests', lazy: () => import('./shared/requests/OwnRequestsPage') },
      ...own,
    ],
  },
  {
    path: paths.adminDashboard,
    ...portal,
    loader: requireRole('super_admin'),
    lazy: () => import('./portals/admin/AdminPortal'),
    children: [
      { index: true, lazy: () => import('./portals/admin/DashboardPage') },
      { path: 'users', lazy: () => import('./portals/admin/users/UsersPage') },
      record('users/:id', () => import('./portals/admin/users/UserPage')),
      { path: 'security-settings', lazy: () => import('./portals/admin/security/SecurityPage') },
      { path: 'approvals', lazy: () => import('./portals/admin/ApprovalsPage') },
      { path: 'analytics', lazy: () => import('./portals/admin/AnalyticsPage') },
      { path: 'settings', lazy: () => import('./portals/admin/SettingsPage') },
      { path: 'logs', lazy: () => import('./portals/admin/LogsPage') },
      { path: 'jobs', lazy: () => import('./portals/admin/JobsPage') },
      { path: 'imports', lazy: () => import('./portals/admin/imports/ImportsPage') },
      { path: 'outbox', lazy: () => import('./portals/admin/OutboxPage') },
      { path: 'backups', lazy: () => import('./portals/admin/BackupsPage') },
      ...own,
      preferences,
    ],
  },
];

function redirectToDesk(request: Request): Response {
  return redirect(paths.requestManagement + new URL(request.url).search);
}

const publicPages: RouteObject = {
  loader: () => loadFrameMessages().then(() => null),
  children: publicRoutes,
};

const shortcutRoutes: RouteObject[] = [
  ...Object.entries(shortcutRedirects).map(([path, target]) => ({
    path,
    loader: () => redirect(target),
    element: <></>,
  })),
  ...portalRelativePaths.map((path) => ({
    path,
    loader: () => redirectToOwnPortal(path),
    lazy: () => import('./portals/public/NotFound'),
  })),
];

/** Unlisted paths are the 404 page. */
async function redirectToOwnPortal(path: (typeof portalRelativePaths)[number]): Promise<Response | null> {
  await loadFrameMessages();
  if (!(await accessToken())) return null;
  const me = await queryClient.ensureQueryData(meQuery()).catch(() => null);
  const page = me && resolvePortalPath(path, me.role);
  return page ? redirect(page) : null;
}

export function createRouter() {
  // A key per location: otherwise a reload restores the scroll position of the previous page.
  const entry: unknown = history.state;
  if (!entry) history.replaceState({ key: newIdempotencyKey() }, '');
  return createBrowserRouter(
    [
      {
        element: <Root />,
        errorElement: <RouterError />,
        hydrateFallbackElement: <></>,
        children: [...portals, ...shortcutRoutes, publicPages],
      },
    ],
    { basename: basePath || '/' },
  );
}

export type Router = ReturnType<typeof createRouter>;

export function isGuarded(router: Router): boolean {
  return router.state.matches.some((match) => match.route.handle === guardedHandle);
}
