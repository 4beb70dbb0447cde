/** All routes: every URL of the route table on a desktop in light mode and a phone in dark mode. */
import { devices, type BrowserContextOptions, type Page } from '@playwright/test';
import { portalRelativePaths, paths, shortcutRedirects, type Portal } from '../src/paths';
import { database } from './support/env';
import type { TestServer } from './support/server';
import type { Person } from './support/users';
import { axeViolations, waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const portals: Portal[] = ['client', 'employee', 'company', 'iso'];
const portalPaths = /^\/(client-profile|request-management|(client|employee|company|iso|admin)-dashboard)/;
/** The operator writes these texts; without a text the page is 404. */
const operatorPages: string[] = [paths.pricing, paths.careers, paths.privacy];

const isNotFoundPath = (path: string) => path === '/nowhere' || operatorPages.includes(path);

const fixedPaths = Object.values(paths).filter((path) => typeof path === 'string');
const open = fixedPaths.filter((path) => !portalPaths.test(path));
const forms = [...portals.map(paths.login), ...portals.map(paths.signupFor)];

interface Group {
  name: string;
  person: (office: TestServer, options: BrowserContextOptions) => Promise<Person>;
  pages: string[] | ((office: TestServer) => Promise<string[]>);
}

const employeePages = (['clients', 'companies', 'isos', 'spvs'] as const).map(paths.employeeTab);
const groups: Group[] = [
  {
    name: 'the open pages',
    person: (office, options) => office.visitor(options),
    pages: open.filter((path) => !path.startsWith('/auth/')),
  },
  {
    name: 'the pages of signing in',
    person: (office, options) => office.visitor(options),
    pages: [...open.filter((path) => path.startsWith('/auth/')), ...forms, '/nowhere'],
  },
  {
    name: 'the pages of a client',
    person: (office, options) => office.client(options),
    pages: async (office) => [
      paths.clientDashboard,
      paths.clientOrders,
      paths.clientNewOrder,
      paths.clientBilling,
      paths.clientRequests,
      ...['security', 'preferences', 'billing', 'activity'].map(paths.clientProfileTab),
      ...(await invoices(office, 'client@example.com')).map(paths.clientInvoice),
      paths.clientDocuments,
      paths.clientProfile,
      paths.clientMessages,
      paths.clientActivity,
      paths.clientProfileTab('notifications'),
      paths.clientThread('support'),
      ...(await orders(office, 'client@example.com')).slice(0, 2).map(paths.clientOrder),
    ],
  },
  {
    name: 'the pages of an employee',
    person: (office, options) => office.employee(options),
    pages: async (office) => [
      ...employeePages,
      paths.employeeSpvs,
      paths.employeeClients,
      paths.employeeCompanies,
      paths.employeeIsos,
      ...(await recordPages(office)),
      paths.employeeSecurity,
      paths.employeeDocuments,
      paths.employeeTasks,
      paths.employeeTemplates,
      paths.employeePriceList,
      paths.requestManagement,
      ...(await requests(office)).slice(0, 2).map(paths.request),
      paths.employeeCommissions,
      paths.employeePayouts,
      paths.employeeLeads,
      paths.employeeCalls,
      paths.employeeMessages,
      paths.employeeInvoices,
      ...(await invoices(office, 'employee@example.com')).slice(0, 2).map(paths.employeeInvoice),
      paths.employeeNotifications,
      paths.employeePreferences,
      ...(await orders(office, 'employee@example.com'))
        .slice(0, 2)
        .flatMap((id) => [paths.employeeOrderInTab(id), paths.employeeOrder(id)]),
    ],
  },
  {
    name: 'the pages of a super admin',
    person: (office, options) => office.superAdmin(options),
    pages: async (office) => [
      paths.adminDashboard,
      paths.adminUsers,
      ...(await users(office))
        .slice(0, 1)
        .flatMap((id) => ['', '?tab=methods', '?tab=activity'].map((tab) => paths.adminUser(id) + tab)),
      paths.adminRules,
      paths.adminAnalytics,
      paths.adminApprovals,
      paths.adminSettings,
      paths.adminLogs,
      paths.adminJobs,
      paths.adminImports,
      paths.adminOutbox,
      paths.adminBackups,
      paths.adminSecurity,
      paths.adminNotifications,
      paths.adminPreferences,
      paths.employeeDashboard,
      paths.companyDashboard,
      ...Object.keys(shortcutRedirects),
      ...portalRelativePaths,
    ],
  },
  {
    name: 'the pages of a company admin',
    person: (office, options) => office.companyAdmin(options),
    pages: async (office) => [
      paths.companyDashboard,
      paths.companySpvs,
      ...(await ids(office, 'company@example.com', 'spvs')).map(paths.companySpv),
      paths.companyEmployees,
      paths.companyClients,
      paths.companySettings,
      paths.companyAnalytics,
      paths.companyFinances,
      paths.companyReports,
      paths.companyRequests,
      paths.companySecurity,
      paths.companyNotifications,
    ],
  },
  {
    name: 'the pages of an ISO partner',
    person: (office, options) => office.iso(options),
    pages: async (office) => [
      paths.isoDashboard,
      paths.isoClients,
      ...(await ids(office, 'iso@example.com', 'clients')).map(paths.isoClient),
      ...(await ids(office, 'iso@example.com', 'spvs')).map(paths.isoOrder),
      paths.isoCommissions,
      paths.isoStatement,
      paths.isoLeads,
      paths.isoCalls,
      paths.isoRequests,
      paths.isoProfile,
      paths.isoSecurity,
      paths.isoNotifications,
    ],
  },
];

const { viewport: _, ...phone } = devices['Pixel 7'] ?? {};
const screens: Record<string, BrowserContextOptions> = {
  'on a desk': { colorScheme: 'light' },
  'on a phone, in the dark': { ...phone, viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
};

const pagesOf = ({ pages }: Group, office: TestServer) =>
  typeof pages === 'function' ? pages(office) : pages;

test('every portal route is covered', async ({ office }) => {
  const swept = await Promise.all(groups.map((group) => pagesOf(group, office)));
  const missing = fixedPaths.filter((path) => portalPaths.test(path) && !swept.flat().includes(path));
  // A tab of a page that its tab URLs already cover.
  expect(missing.filter((path) => !swept.flat().some((page) => page.startsWith(`${path}?`)))).toEqual([]);
});

for (const [screen, options] of Object.entries(screens)) {
  for (const group of groups) {
    // Data loading is tested on both databases.
    test(`${group.name} render without overflow or accessibility violations ${screen}${options.isMobile ? '' : ' @postgres'}`, async ({
      office,
    }) => {
      const person = await group.person(office, options);
      const pages = await pagesOf(group, office);
      expect(pages.length).toBeGreaterThan(0);
      // One step per page with its own time limit, independent of the number of pages.
      test.setTimeout(30_000 + pages.length * 5_000);
      // The browser logs the URL of a 404 page, which is expected.
      person.allowError(/^404 Error: /);
      for (const path of pages) {
        await test.step(path, async () => {
          const response = await person.page.goto(path);
          expect.soft(response?.status()).toBe(isNotFoundPath(path) ? 404 : 200);
          await waitForIdle(person.page);
          const missing = await person.heading('Oops! Page not found').isVisible();
          expect.soft(missing, `${path} is the 404 page`).toBe(hasNoPage(path));
          // Layout and accessibility do not depend on the database.
          if (database() === 'postgres') return;
          expect.soft(await overflowingElements(person.page), `${path} scrolls sideways`).toEqual([]);
          expect.soft(await axeViolations(person.page), `axe on ${path}`).toEqual([]);
        });
      }
    });
  }
}

test('dialogs render without overflow or accessibility violations on a phone', async ({ office }) => {
  const sigrid = await office.superAdmin(screens['on a phone, in the dark']);
  const { page } = sigrid;
  const [order] = await orders(office, 'super@example.com');
  const dialogs: [path: string, button: string | RegExp][] = [
    [paths.employeeTab('clients'), 'Quick Setup (Email)'],
    [paths.employeeTab('clients'), 'Full Setup'],
    [paths.employeeTab('companies'), 'Add company'],
    [paths.employeeTab('isos'), 'Add ISO'],
    [paths.employeeTab('spvs'), 'Create SPV Order'],
    [`${paths.employeeTab('spvs')}&spv=${order}`, /^Edit /],
  ];
  for (const [path, button] of dialogs) {
    await test.step(`${button} of ${path}`, async () => {
      await sigrid.open(path);
      await waitForIdle(page);
      await page
        .getByRole('button', { name: button, exact: typeof button === 'string' })
        .first()
        .click();
      await expect(page.getByRole('dialog')).toBeVisible();
      expect.soft(await overflowingElements(page), 'scrolls sideways').toEqual([]);
      expect.soft(await axeViolations(page), 'axe').toEqual([]);
      expect.soft(await overlappingFields(page), 'a label covers its input').toEqual([]);
    });
  }
  const visitor = await office.visitor(screens['on a phone, in the dark']);
  await visitor.open('/');
  await visitor.button('Login').click();
  await expect(visitor.dialog('SPV Portal')).toBeVisible();
  expect.soft(await axeViolations(visitor.page), 'axe on the access dialog').toEqual([]);
});

/** Pages that do not exist in this installation or for this user. */
function hasNoPage(path: string): boolean {
  if (isNotFoundPath(path)) return true;
  // The user who has these pages is a super admin.
  return (
    (portalRelativePaths as readonly string[]).includes(path) && path !== '/clients' && path !== '/analytics'
  );
}

/** Labels of fields whose input begins above the end of the label. */
function overlappingFields(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=dialog] .mantine-InputWrapper-root')].flatMap((field) => {
      const label = field.querySelector('.mantine-InputWrapper-label');
      const input = field.querySelector('.mantine-Input-wrapper');
      const isBelow =
        !label || !input || label.getBoundingClientRect().bottom <= input.getBoundingClientRect().top + 1;
      return isBelow ? [] : [label.textContent];
    }),
  );
}

async function orders(office: TestServer, email: string): Promise<string[]> {
  const api = await office.api(email);
  const { items } = await api.get<{ items: { id: string; status: string }[] }>('/rest/v1/spvs');
  // Active orders first: they are editable.
  return items.toSorted((a, b) => rank(a.status) - rank(b.status)).map((order) => order.id);
}

async function ids(office: TestServer, email: string, list: string): Promise<string[]> {
  const api = await office.api(email);
  const { items } = await api.get<{ items: { id: string }[] }>(`/rest/v1/${list}?limit=1`);
  return items.map(({ id }) => id);
}

async function users(office: TestServer): Promise<string[]> {
  const { items } = await (await office.api()).get<{ items: { id: string }[] }>('/rest/v1/users');
  return items.map((user) => user.id);
}

async function invoices(office: TestServer, email: string): Promise<string[]> {
  const api = await office.api(email);
  const { items } = await api.get<{ items: { id: string }[] }>('/rest/v1/invoices');
  return items.map((invoice) => invoice.id);
}

async function requests(office: TestServer): Promise<string[]> {
  const api = await office.api('employee@example.com');
  const { items } = await api.get<{ items: { id: string }[] }>('/rest/v1/requests?limit=2');
  return items.map((request) => request.id);
}

/** Records of staff, each with one of its further tabs. */
async function recordPages(office: TestServer): Promise<string[]> {
  const records: [list: string, pathOf: (id: string) => string, tab: string][] = [
    ['clients', paths.employeeClient, 'invoices'],
    ['companies', paths.employeeCompany, 'clients'],
    ['isos', paths.employeeIso, 'commissions'],
    ['payout-runs', paths.employeePayout, 'activity'],
  ];
  const pages = await Promise.all(
    records.map(async ([list, pathOf, tab]) =>
      (await ids(office, 'employee@example.com', list)).flatMap((id) => [
        pathOf(id),
        `${pathOf(id)}?tab=${tab}`,
      ]),
    ),
  );
  return pages.flat();
}

const rank = (status: string) => (status === 'processing' ? 0 : 1);
