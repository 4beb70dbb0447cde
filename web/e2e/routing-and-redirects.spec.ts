/** Routing: redirects without a session, short and old URLs, and 404 pages. */
import { expect, test } from './support/fixtures';
import type { Visitor } from './support/users';
import { password } from './support/portal';

const signIn = 'Sign in to continue to the page you requested.';
const access = (visitor: Visitor) => visitor.dialog('SPV Portal');

test('access dialog leads to the chosen portal, or to the portal selection', async ({ office }) => {
  const visitor = await office.visitor();
  for (const [card, portal] of [
    ['Clients', 'client'],
    ['Employees', 'employee'],
    ['Companies', 'company'],
    ["ISO's", 'iso'],
  ] as const) {
    await visitor.open('/');
    await visitor.button('Login').click();
    await visitor.page.getByRole('radio', { name: card, exact: true }).check();
    await visitor.button('Continue', access(visitor)).click();
    await visitor.expectPath(`/auth/login/${portal}`);
  }
  for (const opener of ['Get Started', 'Get Started Today']) {
    await visitor.open('/');
    await visitor.button(opener).click();
    await expect(access(visitor)).toContainText(
      'Account creation is managed by your account representative.',
    );
    await visitor.page.keyboard.press('Escape');
    await expect(access(visitor)).toBeHidden();
  }
  await visitor.button('Get Started').click();
  await visitor.button('Continue', access(visitor)).click();
  await visitor.expectPath('/auth/portal-selector');
  await visitor.page.getByRole('link', { name: /^Company Portal/ }).click();
  await visitor.expectPath('/auth/login/company');
});

const wanted = [
  ['client', 'Clients', 'client@example.com', '/client-dashboard/orders', 'My SPV Orders'],
  ['employee', 'Employees', 'employee@example.com', '/employee-dashboard?tab=spvs', 'Employee dashboard'],
  ['company', 'Companies', 'company@example.com', '/company-dashboard', 'Meridian Ventures'],
  ['iso', "ISO's", 'iso@example.com', '/iso-dashboard', 'ISO dashboard'],
  ['employee', 'Employees', 'super@example.com', '/admin-dashboard/users', 'User Management'],
] as const;

for (const [portal, card, email, path, heading] of wanted) {
  test(`sign-in returns to ${path} requested without a session`, async ({ office }) => {
    const visitor = await office.visitor();
    await visitor.open(path);
    await visitor.expectPath('/');
    await expect(access(visitor)).toContainText(signIn);
    await visitor.page.getByRole('radio', { name: card, exact: true }).check();
    await visitor.button('Continue', access(visitor)).click();
    await visitor.expectPath(`/auth/login/${portal}`);
    await visitor.submitSignIn(email, password);
    await visitor.expectPath(path);
    await expect(visitor.heading(heading)).toBeVisible();
  });
}

test('closing the access dialog clears the return path', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open('/client-dashboard/orders');
  await visitor.button('Close', access(visitor)).click();
  await expect(access(visitor)).toBeHidden();
  await visitor.signIn('client', 'client@example.com', password);
  await visitor.expectPath('/client-dashboard');
});

test('every dashboard redirects visitors without a session to the landing page', async ({ office }) => {
  const visitor = await office.visitor();
  for (const path of ['/admin-dashboard', '/client-dashboard', '/company-dashboard', '/iso-dashboard']) {
    await visitor.open(path);
    await visitor.expectPath('/');
    await expect(access(visitor)).toContainText(signIn);
  }
});

test('short and old URLs redirect to the current pages', async ({ office }) => {
  const sigrid = await office.superAdmin();
  for (const [from, to] of [
    ['/admin', '/admin-dashboard'],
    ['/admin/users', '/admin-dashboard/users'],
    ['/auth/client-login', '/auth/login/client'],
    ['/clients', '/employee-dashboard/clients'],
  ] as const) {
    await sigrid.open(from);
    await sigrid.expectPath(to);
  }
  const clara = await office.companyAdmin();
  for (const name of ['employees', 'clients']) {
    await clara.open(`/${name}`);
    await clara.expectPath(`/company-dashboard/${name}`);
  }
  const visitor = await office.visitor();
  await visitor.open('/auth/forgot-password');
  await expect(visitor.heading('Forgot your password?')).toBeVisible();
  await visitor.open('/employee-portal');
  await visitor.link('Employee sign-in').click();
  await visitor.expectPath('/auth/login/employee');
});

test('unknown path answers 404 with a link home', async ({ office }) => {
  const visitor = await office.visitor();
  visitor.allowError(/^404 Error: /);
  for (const path of [
    '/nowhere',
    '/client-dashboard/nothing/here',
    '/auth/login/pirate',
    '/company-dashboard/x',
  ]) {
    const response = await visitor.page.goto(path);
    expect(response?.status(), path).toBe(404);
    await expect(visitor.heading('Oops! Page not found')).toBeVisible();
    await expect(visitor.page.getByText(path, { exact: false })).toBeVisible();
  }
  await visitor.link('Return to Home').click();
  await visitor.expectPath('/');
  await expect(visitor.heading('Streamline Your SPV Management')).toBeVisible();
});

test('page that fails to load shows an error, and reloading recovers', async ({ office }) => {
  const visitor = await office.visitor();
  visitor.allowError(/./);
  await visitor.open('/security');
  await visitor.page.route('**/assets/HelpPage*.js', (route) => route.abort());
  await visitor.link('Help Center').click();
  await expect(visitor.heading('Unexpected Application Error!')).toBeVisible();
  await expect(visitor.page.getByRole('alert')).toContainText('It may have been updated: reload the page.');
  await expect(visitor.link('Return to Home')).toBeVisible();
  await visitor.page.unrouteAll();
  await visitor.button('Reload').click();
  await expect(visitor.heading('Help Center')).toBeVisible();
});

test('pages that do not exist for the user show the 404 page with status 200', async ({ office }) => {
  const amara = await office.client();
  amara.allowError(/^404 Error: /);
  for (const path of ['/employees', '/clients', '/analytics', '/finances', '/reports']) {
    const response = await amara.page.goto(path);
    expect(response?.status(), path).toBe(200);
    await expect(amara.heading('Oops! Page not found')).toBeVisible();
  }
});

test("an order that is somebody else's does not exist for a client", async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Not', 'Amara'));
  const amara = await office.client();
  await amara.open(`/client-dashboard/orders/${spv.id}`);
  await expect(amara.page.getByRole('alert')).toContainText(
    "This doesn't exist, or you don't have access to it.",
  );
  await expect(amara.page.getByText(spv.identifier)).toHaveCount(0);
});

test('success page shows the outcome and redirects after five seconds, only within the site', async ({
  office,
}) => {
  const amara = await office.client();
  const { page } = amara;
  await page.clock.install({ time: new Date('2026-03-02T10:00:00Z') });
  await amara.open('/success?redirect=/client-dashboard/orders&ref=SPV-2026-777&time=4.1');
  await expect(page.getByText('Complete', { exact: true })).toBeVisible();
  await expect(page.getByText('4.1 seconds')).toBeVisible();
  await expect(page.getByText('SPV-2026-777')).toBeVisible();
  await expect(page.getByText('Redirecting…')).toBeVisible();
  await expect(amara.link('Continue to Dashboard')).toHaveAttribute('href', '/client-dashboard/orders');
  await expect(page.getByRole('button', { name: /^Stay here/ })).toBeVisible();
  await page.clock.pauseAt(new Date('2026-03-02T10:02:00Z'));
  await amara.expectPath('/client-dashboard/orders');

  // Autoplay can be stopped and stays stopped.
  await page.clock.resume();
  // Blank fields are not rendered.
  await amara.open('/success?time=&ref=%20');
  await expect(page.getByText('SPV-2026-001')).toBeVisible();
  await expect(page.getByText('2.3 seconds')).toBeVisible();
  await expect(page.getByText('Redirecting to your dashboard…')).toBeVisible();
  await page.getByRole('button', { name: /^Stay here/ }).click();
  await page.clock.runFor(60_000);
  await amara.expectPath('/success?time=&ref=%20');
  await expect(amara.link('Continue to Dashboard')).toHaveAttribute('href', '/client-dashboard');

  for (const foreign of ['https://example.com/', '//example.com', '/\\example.com', 'javascript:alert(1)']) {
    await amara.open(`/success?redirect=${encodeURIComponent(foreign)}`);
    await expect(amara.link('Continue to Dashboard')).toHaveAttribute('href', '/client-dashboard');
  }
});

test('landing page has preview tabs, anchors and only working footer links', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open('/');
  await expect(visitor.heading('Streamline Your SPV Management')).toBeVisible();
  for (const feature of ['Real-time Analytics', 'Document Management', 'Multi-Role Access']) {
    await expect(visitor.heading(feature)).toBeVisible();
  }
  await visitor.button('Learn More').click();
  await expect(visitor.heading('Powerful Features')).toBeInViewport();
  for (const [tab, words] of [
    ['Client', 'My SPV Orders'],
    ['Employee', 'Task Management'],
    ['ISO', 'Client Portfolio'],
  ] as const) {
    await visitor.page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await expect(visitor.page.getByRole('tabpanel').getByText(words)).toBeVisible();
  }
  const footer = visitor.page.getByRole('navigation', { name: 'Footer' });
  const links = footer.getByRole('link');
  await expect(links).toHaveText([
    ...['Features', 'Security', 'Help Center', 'Contact Us', 'API Docs', 'About'],
  ]);
  for (const [name, path, heading] of [
    ['Security', '/security', 'Security'],
    ['Help Center', '/help', 'Help Center'],
    ['Contact Us', '/contact', 'Contact'],
    ['API Docs', '/docs/api', 'API'],
    ['About', '/about', 'About the portal'],
  ] as const) {
    await visitor.link(name, footer).click();
    await visitor.expectPath(path);
    await expect(visitor.page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible();
  }
});

test('footer links operator pages once they have a text', async ({ ownOffice: office }) => {
  const texts = {
    pricing: 'An order costs 1,250 dollars.\nNothing else is charged.',
    careers: 'We look for a clerk in Basel.',
    privacy: 'We keep your files for ten years.',
  };
  await (await office.api()).put('/rest/v1/settings', { pages: texts });
  const visitor = await office.visitor();
  await visitor.open('/');
  const footer = visitor.page.getByRole('navigation', { name: 'Footer' });
  for (const [name, path, text] of [
    ['Pricing', '/pricing', texts.pricing],
    ['Careers', '/careers', texts.careers],
    ['Privacy', '/privacy', texts.privacy],
  ] as const) {
    await visitor.link(name, footer).click();
    await visitor.expectPath(path);
    await expect(visitor.page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
    await expect(visitor.page.getByRole('article')).toContainText(text);
  }
});

test('contact page creates a request that staff can read', async ({ office }) => {
  const visitor = await office.visitor();
  const who = office.newPerson('Petra', 'Novak');
  await visitor.open('/contact');
  await visitor.button('Send').click();
  await visitor.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await visitor.expectFieldError('Name', 'Enter your name.');
  await visitor.fillFields({ Name: who.name, Email: 'petra', 'How can we help?': 'Which steps come first?' });
  await visitor.button('Send').click();
  await visitor.expectErrorToast('Error');
  await visitor.expectFieldError('Email', 'Enter an email address, for example name@example.com.');
  await visitor.fillFields({ Email: who.email });
  await visitor.button('Send').click();
  await expect(visitor.heading('We have received your request')).toBeVisible();
  const reference = await visitor.page.getByRole('status').getByRole('strong').innerText();

  const listed = await office.portal.operator<{ reference: string; email: string; message: string }[]>(
    ...['request', 'list'],
  );
  expect(JSON.stringify(listed)).toContain(reference);
  expect(JSON.stringify(listed)).toContain(who.email);
});
