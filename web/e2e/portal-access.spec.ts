/** Portal access: every role lands in its own portal, sees its figures, and is denied elsewhere. */
import { expect, test } from './support/fixtures';
import { escapeRegExp, type Person, type Visitor } from './support/users';
import { password } from './support/portal';

const denied = 'Access Denied';
const noDashboard = "You don't have permission to access this dashboard.";
const oneDecimal = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const millions = (amount: string) => `$${oneDecimal.format(Number(amount) / 1_000_000)}M`;
const size = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.round(bytes / 100) / 10} kB` : `${Math.round(bytes / 100_000) / 10} MB`;
const thousands = (amount: string) => `$${oneDecimal.format(Number(amount) / 1_000)}K`;

test('client signs in and sees the first two orders', async ({ office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await amara.expectPath('/client-dashboard');
  await expect(amara.heading('Welcome, Amara')).toBeVisible();

  const api = await office.api('client@example.com');
  const told = await api.get<Record<'processing' | 'pending' | 'completed', number>>(
    '/rest/v1/dashboards/client',
  );
  const { items } = await api.get<{ items: unknown[] }>('/rest/v1/spvs');
  expect(told.processing + told.pending + told.completed).toBe(items.length);
  await expectFigures(amara, {
    Processing: String(told.processing),
    Pending: String(told.pending),
    Completed: String(told.completed),
  });
  await expect(amara.page.getByRole('article')).toHaveCount(2);
  await expect(amara.heading('Recent Activity')).toBeVisible();
  await expect(amara.heading('Need Help?')).toBeVisible();
  await expect(amara.link('employee@example.com')).toHaveAttribute('href', 'mailto:employee@example.com');

  await amara.link('View all orders').click();
  await expect(amara.page.getByRole('table', { name: 'All orders' }).getByRole('row')).toHaveCount(
    items.length + 1,
  );
  await expectSessionEnded(amara);
});

test('employee signs in and sees no revenue', async ({ office }) => {
  const elias = await office.visitor();
  await elias.signIn('employee', 'employee@example.com', password);
  await elias.expectPath('/employee-dashboard');
  const told = await (
    await office.api('employee@example.com')
  ).get<EmployeeFigures>('/rest/v1/dashboards/employee');
  expect(Number(told.revenue)).toBe(0);
  await expectFigures(elias, {
    'Total Clients': String(told.total_clients),
    'Active SPVs': String(told.active_spvs),
    'Pending Reviews': String(told.pending_reviews),
  });
  await expect(elias.link('Super admin')).toHaveCount(0);
  await expectSessionEnded(elias);
});

test('super admin signs in as employee, sees revenue and opens the other portals', async ({ office }) => {
  const sigrid = await office.visitor();
  await sigrid.open('/auth/login/employee');
  // The welcome toast closes after five seconds, which a slow page load may take.
  await Promise.all([
    sigrid.expectToast('Welcome back!', 'Successfully logged in to Employee Portal'),
    sigrid.submitSignIn('super@example.com', password),
  ]);
  await sigrid.expectPath('/employee-dashboard');
  const api = await office.api();
  const told = await api.get<EmployeeFigures>('/rest/v1/dashboards/employee');
  expect(Number(told.revenue)).toBeGreaterThan(0);
  await expect(sigrid.card('Revenue')).toContainText(millions(told.revenue));

  const side = sigrid.page.getByRole('navigation', { name: 'Main navigation' });
  await sigrid.link('Super admin', side).click();
  await sigrid.expectPath('/admin-dashboard');
  await sigrid.link('Jobs', sigrid.page.getByRole('region', { name: 'Server status' })).click();
  await sigrid.expectPath('/admin-dashboard/jobs');
  await expect(sigrid.heading('Jobs')).toBeVisible();
  await sigrid.link('Employee Portal', side).click();
  await sigrid.expectPath('/employee-dashboard');
  await sigrid.link('Super admin', side).click();
  await expect(sigrid.heading('Super admin dashboard')).toBeVisible();
  const admin = await api.get<AdminFigures>('/rest/v1/dashboards/admin');
  await expectFigures(sigrid, {
    'Total users': String(admin.users),
    'Active sessions': String(admin.sessions),
  });
  await expect(sigrid.card('System uptime')).toContainText('%');
  // Includes documents that other tests uploaded to the demo data.
  expect(admin.storage_bytes).toBeGreaterThan(0);
  await expect(sigrid.card('Storage used')).toContainText(size(admin.storage_bytes));
  // Sorted by newest; the demo data has many by now.
  const showsNewest = async () => {
    for (const { email, first_name, last_name } of admin.items.slice(0, 3))
      await expect(
        // An email may end with another one.
        sigrid
          .row(email, 'Users')
          .filter({ hasText: `${first_name} ${last_name}` })
          .first(),
      ).toBeVisible();
  };
  await sigrid.link('User Management', side).click();
  await sigrid.expectPath('/admin-dashboard/users');
  await showsNewest();

  await sigrid.open('/company-dashboard');
  await expect(sigrid.heading('Choose a company')).toBeVisible();
  await sigrid.pickFromSearch('Company', 'Northstar Holdings');
  await expect(sigrid.heading('Northstar Holdings')).toBeVisible();
  const banner = sigrid.page.getByRole('complementary', { name: 'Super admin view' });
  await expect(banner).toContainText('Viewing this portal as Northstar Holdings.');
  const { items } = await api.get<{ items: { id: string; name: string }[] }>(
    '/rest/v1/companies?q=Northstar',
  );
  const id = items.find((company) => company.name === 'Northstar Holdings')?.id;
  await expectCompanyFigures(sigrid, await api.get<Company>(`/rest/v1/dashboards/company?company_id=${id}`));
  for (const name of ['Analytics', 'Finances', 'Reports']) {
    await sigrid.link(name, side).click();
    await expect(sigrid.page.getByRole('heading', { name, exact: true, level: 1 })).toBeVisible();
    await expect(banner).toContainText('Northstar Holdings');
  }
  await expectSessionEnded(sigrid);
});

test('ISO partner signs in and sees the three newest clients', async ({ office }) => {
  for (const first of ['Uma', 'Udo', 'Ulla']) {
    const who = office.newPerson(first, 'Referred');
    await office.portal.operator(
      ...['client', 'create', '--setup', 'quick', '--first-name', first, '--last-name', who.last],
      ...['--email', who.email, '--company', 'Meridian Ventures', '--iso', 'iso@example.com'],
      ...['--price', '100', '--commission', '10'],
    );
  }
  const ingrid = await office.visitor();
  await ingrid.signIn('iso', 'iso@example.com', password);
  await ingrid.expectPath('/iso-dashboard');
  await expect(ingrid.heading('ISO dashboard')).toBeVisible();
  const told = await (
    await office.api('iso@example.com')
  ).get<{
    active_clients: number;
    monthly_commissions: string;
    pending_leads: number;
    completed_spvs: number;
    clients: { client: { email: string } }[];
  }>('/rest/v1/dashboards/iso');
  await expectFigures(ingrid, {
    'Active Clients': String(told.active_clients),
    'Monthly Commissions': thousands(told.monthly_commissions),
    'Pending Leads': String(told.pending_leads),
    'Completed SPVs': String(told.completed_spvs),
  });
  expect(told.active_clients).toBeGreaterThan(3);
  const table = ingrid.page.getByRole('table', { name: 'Recent Client Activities' });
  await expect(table.getByRole('row')).toHaveCount(3 + 1);
  for (const { client } of told.clients) await expect(table).toContainText(client.email);
  await expectSessionEnded(ingrid);
});

test('company admin signs in and sees only the own company', async ({ office }) => {
  const clara = await office.visitor();
  await clara.open('/auth/login/company');
  await Promise.all([
    clara.expectToast('Welcome back!', 'Successfully logged in to Company Portal'),
    clara.submitSignIn('company@example.com', password),
  ]);
  await clara.expectPath('/company-dashboard');
  await expect(clara.heading('Meridian Ventures')).toBeVisible();
  await expect(clara.page.getByRole('complementary', { name: 'Super admin view' })).toHaveCount(0);
  const api = await office.api('company@example.com');
  const told = await api.get<Company>('/rest/v1/dashboards/company');
  await expectCompanyFigures(clara, told);
  const others = await (
    await office.api()
  ).get<{ items: { company_name: string; identifier: string }[] }>('/rest/v1/spvs?limit=500');
  const foreign = others.items.find((order) => order.company_name !== 'Meridian Ventures');
  await expect(clara.page.getByText(foreign?.identifier ?? '', { exact: true })).toHaveCount(0);
  await expectSessionEnded(clara);
});

const wrongPortals = [
  ['client', 'employee@example.com', 'This portal is for clients only.'],
  ['client', 'iso@example.com', 'This portal is for clients only.'],
  ['iso', 'client@example.com', 'This portal is for ISO partners only.'],
  ['iso', 'super@example.com', 'This portal is for ISO partners only.'],
  ['employee', 'client@example.com', "You don't have employee access. Please use the correct portal."],
  ['employee', 'company@example.com', "You don't have employee access. Please use the correct portal."],
  ['company', 'employee@example.com', "You don't have company admin access. Please use the correct portal."],
  ['company', 'iso@example.com', "You don't have company admin access. Please use the correct portal."],
] as const;

for (const [portal, email, words] of wrongPortals) {
  test(`${portal} login rejects ${email} and ends the session`, async ({ office }) => {
    const visitor = await office.visitor();
    await visitor.signIn(portal, email, password);
    await visitor.expectErrorToast(denied, words);
    await visitor.expectPath(`/auth/login/${portal}`);
    await expect.poll(() => hasSession(visitor)).toBe(false);
  });
}

const wrongDashboards = [
  ['employee@example.com', '/client-dashboard'],
  ['client@example.com', '/employee-dashboard'],
  ['company@example.com', '/iso-dashboard'],
  ['iso@example.com', '/company-dashboard'],
  ['employee@example.com', '/admin-dashboard'],
  ['company@example.com', '/admin-dashboard'],
  ['iso@example.com', '/admin-dashboard'],
  ['client@example.com', '/admin-dashboard'],
  ['employee@example.com', '/admin-dashboard/users'],
  ['company@example.com', '/admin-dashboard/users'],
  ['iso@example.com', '/admin-dashboard/users'],
  ['client@example.com', '/admin-dashboard/users'],
] as const;

for (const [email, path] of wrongDashboards) {
  test(`${path} redirects ${email} to the landing page`, async ({ office }) => {
    const visitor = await office.visitor();
    const role = email.slice(0, email.indexOf('@'));
    await visitor.signIn(role, email, password);
    await expect(visitor.page).toHaveURL((url) => url.pathname.endsWith('-dashboard'));
    await visitor.open(path);
    await visitor.expectErrorToast(denied, noDashboard);
    await visitor.expectPath('/');
    await expect.poll(() => hasSession(visitor)).toBe(false);
    await expect(visitor.heading('Streamline Your SPV Management')).toBeVisible();
  });
}

// The request desk spec covers the redirect target of a partner.
const ownRequests = [
  ['company', '/company-dashboard/requests'],
  ['client', '/client-dashboard/requests'],
] as const;

for (const [role, path] of ownRequests) {
  test(`/request-management redirects ${role}@example.com to their own requests`, async ({ office }) => {
    const visitor = await office.visitor();
    await visitor.signIn(role, `${role}@example.com`, password);
    await expect(visitor.page).toHaveURL((url) => url.pathname.endsWith('-dashboard'));
    await visitor.open('/request-management');
    await visitor.expectPath(path);
  });
}

test('company admin without a company sees an explanation', async ({ office }) => {
  const company = await office.company();
  const who = office.newPerson('Lone', 'Admin');
  await office.portal.operator(
    ...['user', 'create', '--role', 'company_admin', '--first-name', who.first, '--last-name', who.last],
    ...['--email', who.email, '--company', company.name],
  );
  await office.setPassword(who.email);
  const lone = await office.visitor();
  // The API cannot create a company admin without a company, so the response is mocked.
  await lone.page.route('**/rest/v1/me', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), company: null } });
  });
  await lone.signIn('company', who.email, password);
  await lone.expectErrorToast(denied, 'Your account is not associated with a company.');
  await expect.poll(() => hasSession(lone)).toBe(false);
});

test('wrong password and unknown address get the same response in every portal', async ({ office }) => {
  const visitor = await office.visitor();
  for (const portal of ['client', 'employee', 'company', 'iso']) {
    await visitor.signIn(portal, `${portal}@example.com`, 'not the password');
    await visitor.expectErrorToast('Login Failed', 'Incorrect email address or password.');
    await visitor.submitSignIn('nobody@example.com', 'not the password');
    await visitor.expectErrorToast('Login Failed', 'Incorrect email address or password.');
  }
  await visitor.open('/auth/login/client');
  await visitor.button('Sign in').click();
  await visitor.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await visitor.expectFieldError('Email', 'Enter your email address.');
  await visitor.expectFieldError('Password', 'Enter your password.');
});

test('client and ISO logins toggle the password and offer providers', async ({ office }) => {
  const visitor = await office.visitor();
  for (const portal of ['client', 'iso']) {
    await visitor.open(`/auth/login/${portal}`);
    const field = visitor.field('Password');
    await field.fill('seen by me');
    await expect(field).toHaveAttribute('type', 'password');
    await visitor.button('Show password').click();
    await expect(field).toHaveAttribute('type', 'text');
    await visitor.button('Hide password').click();
    await expect(field).toHaveAttribute('type', 'password');
    await expect(visitor.page.getByRole('checkbox', { name: 'Remember me' })).toBeChecked();
    await visitor.button('Google').click();
    await visitor.expectToast('Google sign-in coming soon!');
    await visitor.button('Microsoft').click();
    await visitor.expectToast('Microsoft sign-in coming soon!');
    await expect(visitor.link('Help')).toHaveAttribute('href', '/help');
    await expect(visitor.link('Switch Portal')).toHaveAttribute('href', '/auth/portal-selector');
  }
  await expect(visitor.link('Apply to become an ISO')).toHaveAttribute('href', '/auth/signup/iso');
  await expect(visitor.link('Call')).toHaveAttribute('href', 'tel:+15550100');
  await expect(visitor.link('Chat')).toHaveAttribute('href', '/contact');
  await visitor.open('/auth/login/client');
  await expect(visitor.link('Create Account')).toHaveAttribute('href', '/auth/signup');
  for (const portal of ['employee', 'company']) {
    await visitor.open(`/auth/login/${portal}`);
    await expect(visitor.button('Sign in')).toBeVisible();
    await expect(visitor.button('Google')).toHaveCount(0);
    await visitor.link('Back to Portal Selection').click();
    await visitor.expectPath('/auth/portal-selector');
  }
});

test('sign-in button has a busy state', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open('/auth/login/client');
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await visitor.page.route('**/auth/v1/token*', async (route) => {
    await held;
    await route.continue();
  });
  await visitor.submitSignIn('client@example.com', password);
  await expect(visitor.button('Signing in...')).toBeDisabled();
  answer();
  await visitor.expectPath('/client-dashboard');
});

test('session without "Remember me" ends with the tab', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open('/auth/login/client');
  await visitor.page.getByRole('checkbox', { name: 'Remember me' }).click();
  await visitor.submitSignIn('client@example.com', password);
  await expect(visitor.heading('Welcome, Amara')).toBeVisible();
  await visitor.page.reload();
  await expect(visitor.heading('Welcome, Amara')).toBeVisible();
  const other = await visitor.page.context().newPage();
  await other.goto('/client-dashboard');
  await expect(other).toHaveURL((url) => url.pathname === '/');
});

interface AdminFigures {
  users: number;
  sessions: number;
  storage_bytes: number;
  items: { email: string; first_name: string; last_name: string }[];
}

interface EmployeeFigures {
  total_clients: number;
  active_spvs: number;
  pending_reviews: number;
  revenue: string;
}

interface Company {
  total_spvs: number;
  active_clients: number;
  total_revenue: string;
  iso_partners: number;
  partners: { name: string | null; spvs: number }[];
}

async function expectCompanyFigures(person: Person, told: Company): Promise<void> {
  await expectFigures(person, {
    'Total SPVs': String(told.total_spvs),
    'Active Clients': String(told.active_clients),
    'Total Revenue': millions(told.total_revenue),
    'ISO Partners': String(told.iso_partners),
  });
  // Screen readers get the exact amount beside the compact one.
  const exact = Number(told.total_revenue).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  await expect(person.card('Total Revenue')).toContainText(`exactly ${exact}`);
  await expect(person.heading('Clients by ISO Partner')).toBeVisible();
  for (const { name, spvs } of told.partners) {
    const group = person.page.getByRole('region', { name: name ?? 'Unassigned', exact: true });
    // Groups below the first screen are closed.
    const head = group.getByRole('button', { expanded: false });
    if (await head.count()) await head.click();
    const table = group.getByRole('table', { name: name ?? 'Unassigned', exact: true });
    await expect(table.getByRole('columnheader')).toHaveText(
      ['Client Name', 'SPV Identifier', 'Status', 'Progress', 'Amount'],
      { useInnerText: true },
    );
    // Twenty rows per page and a header.
    await expect(table.getByRole('row')).toHaveCount(Math.min(spvs, 20) + 1);
  }
}

/** Expects the card with this name to show exactly this figure. */
async function expectFigures(person: Person, figures: Record<string, string>): Promise<void> {
  for (const [name, figure] of Object.entries(figures)) {
    const shown = new RegExp(`^${name}\\s*${escapeRegExp(figure)}(\\D|$)`);
    // The hidden description of its info button is not part of the inner text.
    await expect(person.card(name)).toHaveText(shown, { useInnerText: true });
  }
}

async function hasSession(visitor: Visitor): Promise<boolean> {
  return visitor.page.evaluate(() => localStorage.getItem('spv-auth-token') !== null);
}

/** Logs out and expects a toast, the landing page and a revoked token. */
async function expectSessionEnded(visitor: Visitor): Promise<void> {
  const token = await visitor.page.evaluate(
    () =>
      (JSON.parse(localStorage.getItem('spv-auth-token') ?? '{}') as { access_token: string }).access_token,
  );
  await visitor.logOut();
  await visitor.expectToast('Logged Out', 'You have been successfully logged out.');
  await visitor.expectPath('/');
  await expect.poll(() => hasSession(visitor)).toBe(false);
  const answer = await visitor.page.request.get('/rest/v1/me', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status()).toBe(401);
}
