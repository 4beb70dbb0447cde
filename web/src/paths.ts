/** Paths: the only file with URLs of the app. */

export type Portal = 'client' | 'employee' | 'iso' | 'company';
export type EmployeeTab = 'clients' | 'companies' | 'isos' | 'spvs';

export const paths = {
  landing: '/',
  signup: '/auth/signup',
  signupFor: (portal: Portal) => `/auth/signup/${portal}`,
  login: (portal: Portal) => `/auth/login/${portal}`,
  portalSelector: '/auth/portal-selector',
  forgotPassword: '/auth/forgot-password',
  resetPassword: '/auth/reset-password',
  confirm: '/auth/confirm',
  secureAccount: '/auth/secure-account',
  mfa: '/auth/mfa',
  mfaSetup: '/auth/mfa-setup',
  newPassword: '/auth/new-password',
  success: '/success',
  unsubscribe: '/unsubscribe',
  security: '/security',
  help: '/help',
  about: '/about',
  contact: '/contact',
  apiDocs: '/docs/api',
  pricing: '/pricing',
  careers: '/careers',
  privacy: '/privacy',
  clientDashboard: '/client-dashboard',
  clientOrders: '/client-dashboard/orders',
  clientNewOrder: '/client-dashboard/orders/new',
  clientBilling: '/client-dashboard/billing',
  clientInvoice: (id: string) => `/client-dashboard/billing/${id}`,
  clientDocuments: '/client-dashboard/documents',
  clientDocument: (id: string) => `/client-dashboard/documents/${id}`,
  clientProfile: '/client-profile',
  clientProfileTab: (tab: string) => `/client-profile?tab=${tab}`,
  clientActivity: '/client-dashboard/activity',
  clientMessages: '/client-dashboard/messages',
  clientThread: (thread: string) => `/client-dashboard/messages?thread=${thread}`,
  clientOrder: (id: string) => `/client-dashboard/orders/${id}`,
  clientOrderDocuments: (id: string) => `/client-dashboard/orders/${id}#documents`,
  clientOrderMessages: (id: string) => `/client-dashboard/orders/${id}#messages`,
  clientRequests: '/client-dashboard/requests',
  employeePortal: '/employee-portal',
  employeeDashboard: '/employee-dashboard',
  employeeTab: (tab: EmployeeTab) => `/employee-dashboard?tab=${tab}`,
  employeeSpvs: '/employee-dashboard/spvs',
  employeeClients: '/employee-dashboard/clients',
  employeeClient: (id: string) => `/employee-dashboard/clients/${id}`,
  employeeCompanies: '/employee-dashboard/companies',
  employeeCompany: (id: string) => `/employee-dashboard/companies/${id}`,
  employeeIsos: '/employee-dashboard/isos',
  employeeIso: (id: string) => `/employee-dashboard/isos/${id}`,
  /** A list filtered by a search. */
  employeeListFor: (list: EmployeeTab, q: string) => listPath(list, new URLSearchParams({ q })),
  /** A list with the dialog that creates one of it. */
  employeeNew: (list: EmployeeTab, dialog: string) => listPath(list, new URLSearchParams({ new: dialog })),
  /** The list of orders with these filters. */
  employeeSpvsOf: (filters: Record<string, string>) =>
    `/employee-dashboard/spvs?${new URLSearchParams(filters)}`,
  employeeOrder: (id: string) => `/employee-dashboard/orders/${id}`,
  employeeOrderTab: (id: string, tab: string) => `/employee-dashboard/orders/${id}?tab=${tab}`,
  employeeOrderInTab: (id: string) => `/employee-dashboard?tab=spvs&spv=${id}`,
  employeeInvoices: '/employee-dashboard/invoices',
  employeeInvoice: (id: string) => `/employee-dashboard/invoices/${id}`,
  employeeMessages: '/employee-dashboard/messages',
  employeeThread: (thread: string) => `/employee-dashboard/messages?thread=${thread}`,
  employeeDocuments: '/employee-dashboard/documents',
  employeeDocument: (id: string) => `/employee-dashboard/documents/${id}`,
  employeeNotifications: '/employee-dashboard/notifications',
  employeeTemplates: '/employee-dashboard/templates',
  employeePriceList: '/employee-dashboard/price-list',
  employeeCommissions: '/employee-dashboard/commissions',
  employeePayouts: '/employee-dashboard/commissions/payouts',
  employeePayout: (id: string) => `/employee-dashboard/commissions/payouts/${id}`,
  employeeLeads: '/employee-dashboard/leads',
  employeeLeadsOf: (name: string) => `/employee-dashboard/leads?${new URLSearchParams({ q: name })}`,
  employeeCalls: '/employee-dashboard/calls',
  employeeTasks: '/employee-dashboard/tasks',
  employeePreferences: '/employee-dashboard/preferences',
  employeeSecurity: '/employee-dashboard/security',
  isoDashboard: '/iso-dashboard',
  isoClients: '/iso-dashboard/clients',
  isoClient: (id: string) => `/iso-dashboard/clients/${id}`,
  isoOrder: (id: string) => `/iso-dashboard/orders/${id}`,
  isoCommissions: '/iso-dashboard/commissions',
  isoStatement: '/iso-dashboard/commissions/statement',
  isoStatementOf: (days: { from: string; to: string }) =>
    `/iso-dashboard/commissions/statement?${new URLSearchParams(days)}`,
  isoLeads: '/iso-dashboard/leads',
  isoLeadsOf: (email: string) => `/iso-dashboard/leads?${new URLSearchParams({ q: email })}`,
  isoCalls: '/iso-dashboard/calls',
  isoNewLead: () => '/iso-dashboard/leads?new=true',
  isoNewCall: () => '/iso-dashboard/calls?new=true',
  isoRequests: '/iso-dashboard/requests',
  isoProfile: '/iso-dashboard/profile',
  isoNotifications: '/iso-dashboard/notifications',
  isoSecurity: '/iso-dashboard/security',
  companyDashboard: '/company-dashboard',
  companySpvs: '/company-dashboard/spv',
  /** The company portal as a super admin sees it. */
  companyPortalOf: (id: string) => `/company-dashboard?company=${id}`,
  companySpv: (id: string) => `/company-dashboard/spv/${id}`,
  /** The portfolio with these filters. */
  companySpvsOf: (filters: Record<string, string>) =>
    `/company-dashboard/spv?${new URLSearchParams(filters)}`,
  companyEmployees: '/company-dashboard/employees',
  companyNewEmployee: () => '/company-dashboard/employees?new=true',
  companyClients: '/company-dashboard/clients',
  companyClientsFor: (q: string) => `/company-dashboard/clients?${new URLSearchParams({ q })}`,
  companySettings: '/company-dashboard/settings',
  companyFinances: '/company-dashboard/finances',
  companyAnalytics: '/company-dashboard/analytics',
  companyReports: '/company-dashboard/reports',
  companyRequests: '/company-dashboard/requests',
  companyNotifications: '/company-dashboard/notifications',
  companySecurity: '/company-dashboard/security',
  requestManagement: '/request-management',
  /** The request desk with these filters. */
  requestsOf: (filters: Record<string, string>) => `/request-management?${new URLSearchParams(filters)}`,
  request: (id: string) => `/request-management/${id}`,
  adminDashboard: '/admin-dashboard',
  adminUsers: '/admin-dashboard/users',
  /** The list of users with these filters. */
  adminUsersOf: (filters: Record<string, string>) => `/admin-dashboard/users?${new URLSearchParams(filters)}`,
  adminNewUser: () => '/admin-dashboard/users?new=true',
  adminUser: (id: string) => `/admin-dashboard/users/${id}`,
  adminRules: '/admin-dashboard/security-settings',
  adminAnalytics: '/admin-dashboard/analytics',
  adminSettings: '/admin-dashboard/settings',
  adminLogs: '/admin-dashboard/logs',
  /** The activity log with these filters. */
  adminLogsOf: (filters: Record<string, string>) => `/admin-dashboard/logs?${new URLSearchParams(filters)}`,
  adminApprovals: '/admin-dashboard/approvals',
  adminBackups: '/admin-dashboard/backups',
  adminJobs: '/admin-dashboard/jobs',
  adminImports: '/admin-dashboard/imports',
  adminOutbox: '/admin-dashboard/outbox',
  adminOutboxOf: (status: string) => `/admin-dashboard/outbox?${new URLSearchParams({ status })}`,
  adminJobsOf: (status: string) => `/admin-dashboard/jobs?${new URLSearchParams({ status })}`,
  adminNotifications: '/admin-dashboard/notifications',
  adminPreferences: '/admin-dashboard/preferences',
  adminSecurity: '/admin-dashboard/security',
} as const;

/** Page of a list of staff, with filters. */
export function listPath(list: EmployeeTab, filters: URLSearchParams): string {
  const query = filters.toString();
  return `/employee-dashboard/${list}${query && '?'}${query}`;
}

/** Success page with outcome, reference and redirect delay in milliseconds (decision 33). */
export function successPath(done: { redirect: string; reference: string; milliseconds: number }): string {
  const time = Math.max(done.milliseconds / 1000, 0.1).toFixed(1);
  return `${paths.success}?${new URLSearchParams({ redirect: done.redirect, ref: done.reference, time })}`;
}

/** Redirects of short and old URLs (decision 31). */
export const shortcutRedirects: Record<string, string> = {
  '/admin': paths.adminDashboard,
  '/admin/users': paths.adminUsers,
  '/auth/client-login': paths.login('client'),
};

/** Role-independent URLs such as `/clients`, which redirect into the portal of the user (decision 31). */
export const portalRelativePaths = ['/employees', '/clients', '/analytics', '/finances', '/reports'] as const;

const companyPages: Partial<Record<(typeof portalRelativePaths)[number], string>> = {
  '/employees': paths.companyEmployees,
  '/clients': paths.companyClients,
  '/analytics': paths.companyAnalytics,
  '/finances': paths.companyFinances,
  '/reports': paths.companyReports,
};
const clientLists: Record<string, string> = {
  iso: paths.isoClients,
  employee: paths.employeeClients,
  super_admin: paths.employeeClients,
};

/** The page of this name in the portal of a role, if any. */
export function resolvePortalPath(
  path: (typeof portalRelativePaths)[number],
  role: string,
): string | undefined {
  if (role === 'company_admin') return companyPages[path];
  if (role === 'super_admin' && path === '/analytics') return paths.adminAnalytics;
  return path === '/clients' ? clientLists[role] : undefined;
}

/** Own requests of non-staff roles. */
const ownRequestsPaths: Record<string, string> = {
  client: paths.clientRequests,
  iso: paths.isoRequests,
  company_admin: paths.companyRequests,
};

/** The requests page in the portal of a role; staff have the desk. */
export function requestsPath(role: string): string {
  return ownRequestsPaths[role] ?? paths.requestManagement;
}

const homePaths: Record<string, string> = {
  client: paths.clientDashboard,
  iso: paths.isoDashboard,
  employee: paths.employeeDashboard,
  company_admin: paths.companyDashboard,
  super_admin: paths.employeeDashboard,
};

/** The home page of a role. */
export function homePath(role: string): string {
  return homePaths[role] ?? paths.landing;
}
