/** Admin portal: alerts, sign-in rules, activity log, accounts, applications and analytics. */
import { readFile } from 'node:fs/promises';
import type { Browser } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import { Authenticator } from './support/authenticator';
import type { TestServer } from './support/server';
import { escapeRegExp, type Person } from './support/users';
import { password } from './support/portal';
import { expect, test, withServer } from './support/fixtures';

interface Items<Row> {
  items: Row[];
}
interface RequestRow {
  id: string;
  email: string;
}

/** Runs a test in a portal behind a proxy that sets the client address. */
function startBehindProxy(browser: Browser, body: (office: TestServer) => Promise<void>): Promise<void> {
  return withServer(browser, { demo: true, env: { SPV_TRUSTED_PROXIES: '127.0.0.0/8' } }, body);
}

/** Sends a wrong password from this address; returns the status. */
async function failSignIn(office: TestServer, address: string, email: string): Promise<number> {
  const response = await fetch(`${office.portal.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password: 'not the password' }),
  });
  await response.text();
  expect(response.ok).toBe(false);
  return response.status;
}

/** Downloads the CSV of a button and returns its lines, header first. */
async function downloadCsv(person: Person, button: string): Promise<string[]> {
  const [file] = await Promise.all([person.page.waitForEvent('download'), person.button(button).click()]);
  return (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
}

test('password spraying raises an alert that can be investigated, blocked and resolved @postgres', async ({
  browser,
}) => {
  await startBehindProxy(browser, async (office) => {
    // Excludes the alert of the demo data.
    const from = '198.51.100.77';
    for (let n = 0; n < 22; n += 1) await failSignIn(office, from, 'nobody@example.com');
    // Alert rules run once a minute; the test runs the job directly.
    await office.portal.operator('job', 'run', 'portal.watch');
    const sigrid = await office.superAdmin();
    const open = async () => {
      const { items } = await sigrid.api.get<Items<{ subject: string }>>('/rest/v1/alerts?open=true');
      return items.map(({ subject }) => subject);
    };
    await expect.poll(open, { timeout: 30_000 }).toContain(from);

    await sigrid.open(paths.adminDashboard);
    const alert = sigrid.card('Critical alerts').getByRole('listitem', {
      name: new RegExp(`^\\d+ failed sign-ins from ${escapeRegExp(from)} within 15 minutes$`),
    });
    await expect(alert).toBeVisible();
    await sigrid.link('Investigate', alert).click();
    await sigrid.expectPath(paths.adminLogsOf({ what: 'sign_in.failed', address: from }));
    await expect(sigrid.button(`Address is ${from}`)).toBeVisible();
    await expect(sigrid.row(from, 'Entries').first()).toContainText('sign_in.failed');
    await sigrid.page.goBack();
    await sigrid.expectPath(paths.adminDashboard);

    await sigrid.button('Block IPs', alert).click();
    const dialog = sigrid.dialog('Block addresses');
    await expect(sigrid.field('Address or network', dialog)).toHaveValue(from);
    await sigrid.button('Block addresses', dialog).click();
    await sigrid.expectToast('Blocked', from);
    await expect.poll(() => failSignIn(office, from, 'nobody@example.com')).toBe(403);

    await sigrid.button('Resolve', alert).click();
    await sigrid.expectToast('Alert resolved', 'It reopens if the cause persists after an hour.');
    await expect(alert).toHaveCount(0);
    expect(await open()).not.toContain(from);
  });
});

test('sign-in rules are validated per field, saved and enforced', async ({ ownOffice: office }) => {
  const sigrid = await office.superAdmin();
  await sigrid.open(paths.adminRules);
  const rule = sigrid.page.getByRole('switch', {
    name: 'Require two-factor authentication for ISO partner',
    exact: true,
  });
  await expect(rule).not.toBeChecked();
  await rule.press('Space');
  await sigrid.expectToast('Settings Saved', 'The rules apply immediately.');

  const form = sigrid.page.getByRole('form', { name: 'Sessions and passwords', exact: true });
  for (const wrong of ['7', '65', '']) {
    await sigrid.fillFields({ 'Minimum password length': wrong }, form);
    await sigrid.button('Save', form).click();
    await sigrid.expectFieldError('Minimum password length', 'Enter a number from 8 to 64.', form);
  }
  await sigrid.choose('Idle sessions end after', '8 hours', form);
  await sigrid.choose('All sessions end after', '1 day', form);
  await sigrid.choose('Idle staff sessions end after', '1 hour', form);
  await sigrid.fillFields({ 'Minimum password length': '14' }, form);
  await sigrid.button('Save', form).click();
  await sigrid.expectToast('Settings Saved', 'The rules apply immediately.');

  await sigrid.page.reload();
  await expect(rule).toBeChecked();
  await expect(sigrid.field('Idle sessions end after', form)).toHaveText('8 hours');
  await expect(sigrid.field('All sessions end after', form)).toHaveText('1 day');
  await expect(sigrid.field('Idle staff sessions end after', form)).toHaveText('1 hour');
  await expect(sigrid.field('Minimum password length', form)).toHaveValue('14');
  const { security } = await sigrid.api.get<{ security: object }>('/rest/v1/settings');
  expect(security).toMatchObject({
    session_idle_hours: 8,
    session_max_hours: 24,
    staff_session_idle_hours: 1,
    staff_session_max_hours: null,
    password_min_length: 14,
  });

  const ingrid = await office.visitor();
  await ingrid.signIn('iso', 'iso@example.com', password);
  await expect(ingrid.heading('Protect your account')).toBeVisible();
});

test('activity log can be filtered by action and address and exported as filtered', async ({ browser }) => {
  await startBehindProxy(browser, async (office) => {
    const [from, other] = ['198.51.100.77', '198.51.100.78'];
    for (let n = 0; n < 3; n += 1) await failSignIn(office, from, 'employee@example.com');
    await failSignIn(office, other, 'client@example.com');
    const sigrid = await office.superAdmin();
    // Entries appear after the activity sequencer has numbered them.
    const logged = async (address: string) => {
      const query = new URLSearchParams({ what: 'sign_in', address });
      return (await sigrid.api.get<Items<object>>(`/rest/v1/logs?${query}`)).items.length;
    };
    await expect.poll(() => logged(from)).toBe(3);
    await expect.poll(() => logged(other)).toBe(1);

    await sigrid.open(paths.adminLogs);
    await sigrid.filterBy('Event', 'Failed sign-ins');
    await sigrid.expectPath(paths.adminLogsOf({ what: 'sign_in' }));
    await expect(sigrid.row(from, 'Entries')).toHaveCount(3);
    await expect(sigrid.row(other, 'Entries')).toHaveCount(1);

    await sigrid.button('Filter').click();
    await sigrid.page.getByRole('menuitem', { name: 'Address', exact: true }).click();
    await sigrid.page.getByRole('textbox', { name: 'Address', exact: true }).fill(from);
    await sigrid.page.keyboard.press('Enter');
    await sigrid.expectPath(paths.adminLogsOf({ what: 'sign_in', address: from }));
    await expect(sigrid.row(from, 'Entries')).toHaveCount(3);
    await expect(sigrid.row(other, 'Entries')).toHaveCount(0);

    // Search results arrive during a pause in typing and keep the input.
    const box = sigrid.page.getByRole('searchbox', { name: 'Search by person', exact: true });
    await box.click();
    await sigrid.page.keyboard.type('nobody');
    await expect(sigrid.page.getByText('No entries match these filters')).toBeVisible();
    await expect(box).toBeFocused();
    for (const _ of 'nobody') await sigrid.page.keyboard.press('Backspace');
    await expect(sigrid.row(from, 'Entries')).toHaveCount(3);
    await expect(box).toBeFocused();

    const [heads, ...rows] = await downloadCsv(sigrid, 'Export CSV');
    await sigrid.expectToast('Export complete', /^logs-\d{4}-\d\d-\d\d\.csv$/);
    expect(heads).toMatch(/^\uFEFFseq,id,at,.*,address,user_agent$/);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toContain(',sign_in.failed,');
      expect(row).toContain(`,${from},`);
    }
  });
});

test('super admin re-invites a user, removes a lost authenticator and archives the account', async ({
  office,
}) => {
  const ivar = office.newPerson('Ivar', 'Holt');
  await office.portal.operator(
    ...['user', 'create', '--role', 'employee', '--email', ivar.email],
    ...['--first-name', ivar.first, '--last-name', ivar.last],
  );
  const post = office.portal.post;
  await post.waitForMail(ivar.email, 'Set your password');
  const sigrid = await office.superAdmin();
  const list = (more: Record<string, string>) =>
    `${paths.adminUsers}?${new URLSearchParams({ q: ivar.email, ...more })}`;
  await sigrid.open(list({}));
  await expect(sigrid.row(ivar.email, 'Users')).toContainText('Pending');
  await sigrid.chooseRowAction('Resend invitation', ivar.name);
  await sigrid.expectToast('Invitation resent', ivar.email);
  await post.count(ivar.email, 'Set your password', (mails) => mails.length === 2);
  await office.setPassword(ivar.email);

  const session = await Api.signIn(office.portal.url, ivar.email, password);
  await Authenticator.enrol(new Api(office.portal.url, session), 'Lost phone');
  await sigrid.open(`${paths.adminUser(session.user.id)}?tab=methods`);
  await expect(sigrid.card('Second factors')).toContainText('Lost phone');
  await sigrid.button('Actions').click();
  await sigrid.page.getByRole('menuitem', { name: 'Reset two-factor authentication', exact: true }).click();
  const reset = sigrid.dialog(`Reset two-factor authentication for ${ivar.name}?`);
  await expect(reset).toContainText('All their sessions end now.');
  await sigrid.button('Reset two-factor authentication', reset).click();
  await sigrid.expectToast('Two-factor authentication reset', ivar.name);
  await expect(sigrid.card('Second factors')).toContainText('None');
  // MFA is no longer required.
  const visitor = await office.visitor();
  await visitor.signIn('employee', ivar.email, password);
  await visitor.expectPath(paths.employeeDashboard);
  await visitor.logOut();
  await visitor.expectPath('/');

  await sigrid.open(list({}));
  await sigrid.chooseRowAction('Archive', ivar.name);
  const question = sigrid.dialog(`Archive ${ivar.name}?`);
  await expect(question).toContainText("can't sign in");
  await sigrid.button('Archive', question).click();
  await sigrid.expectToast('User archived', ivar.name);
  await expect(sigrid.page.getByText(`No results for “${ivar.email}”`)).toBeVisible();
  await sigrid.open(list({ status: 'archived' }));
  await expect(sigrid.row(ivar.email, 'Users')).toContainText('Archived');
  await visitor.signIn('employee', ivar.email, password);
  await visitor.expectErrorToast(
    'Login Failed',
    'This account is suspended or archived. Please contact support.',
  );
});

// Applications are rate limited per address.
test('ISO application prefills the dialog and creates the partner once', async ({ ownOffice: office }) => {
  const who = office.newPerson('Berta', 'Lund');
  const visitor = await office.visitor();
  await visitor.open('/auth/signup/iso');
  await visitor.fillFields({
    'First name': who.first,
    'Last name': who.last,
    Email: who.email,
    Phone: '+47 555 0170',
    'Business Name': 'Lund Partners AS',
  });
  await visitor.button('Send application').click();
  await expect(visitor.heading('We received your application')).toBeVisible();

  const elias = await office.employee();
  const { items } = await elias.api.get<Items<RequestRow>>('/rest/v1/requests?kind=account');
  await elias.open(paths.request(items.find(({ email }) => email === who.email)?.id ?? ''));
  await expect(elias.page.getByText('Lund Partners AS', { exact: true })).toBeVisible();
  await elias.button('Create ISO partner').click();
  const dialog = elias.dialog('Create New ISO');
  await expect(elias.field('First name', dialog)).toHaveValue(who.first);
  await expect(elias.field('Last name', dialog)).toHaveValue(who.last);
  await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  await expect(elias.field('Phone', dialog)).toHaveValue('+47 555 0170');
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await elias.button('Create ISO', dialog).dblclick();
  await elias.expectToast('ISO Created', who.name);
  await expect(elias.page.getByText('An ISO partner account was created.')).toBeVisible();
  await expect(elias.button('Create ISO partner')).toHaveCount(0);
  await elias.open(paths.employeeTab('isos'));
  await elias.search('Search ISOs', who.email);
  await expect(elias.row(who.email, 'ISOs')).toHaveCount(1);
  await expect(elias.row(who.email, 'ISOs')).toContainText('Meridian Ventures');

  await office.setPassword(who.email);
  const berta = await office.person(who.email);
  await berta.open('/iso-dashboard');
  await expect(berta.heading('ISO dashboard')).toBeVisible();
});

test('office charts become tables on a phone, and the CSV adds up to the totals shown', async ({
  office,
}) => {
  const sigrid = await office.superAdmin({ viewport: { width: 390, height: 844 } });
  await sigrid.open(`${paths.adminAnalytics}?period=all_time`);
  const table = (name: string) => sigrid.page.getByRole('table', { name, exact: true });
  const charts = [
    ...['Revenue in USD', 'Orders over time', 'Time per step', 'On time by month', 'By country', 'By status'],
    ...['Step times over time', 'Requests over time', 'Sign-ins over time', 'By company', 'By ISO partner'],
  ];
  for (const name of charts) {
    await sigrid.showTable(name);
    // The header and at least one row.
    const figures = table(name === 'On time by month' ? 'On time' : name);
    await expect(figures.getByRole('row').nth(1)).toBeVisible();
  }

  /** Sums the numeric columns of all rows and of the total row, in hundredths. */
  const sums = async (name: string) => {
    const [, ...lines] = await downloadCsv(sigrid, `Download “${name}” as CSV`);
    const figures = lines.map((line) => Math.round(Number(line.split(',')[1]) * 100));
    const total = await table(name)
      .getByRole('row', { name: /^Total/ })
      .getByRole('cell')
      .first()
      .innerText();
    const shown = Math.round(Number(total.replaceAll(/[$,]/g, '')) * 100);
    return { saved: figures.reduce((all, one) => all + one, 0), shown, total };
  };
  const orders = await sums('By status');
  expect(orders.saved).toBeGreaterThan(0);
  expect(orders.saved).toBe(orders.shown);
  await expect(sigrid.card('Orders')).toContainText(orders.total);
  const revenue = await sums('Revenue in USD');
  expect(revenue.saved).toBeGreaterThan(0);
  expect(revenue.saved).toBe(revenue.shown);
  await expect(sigrid.card('Revenue')).toContainText(revenue.total);

  // A figure leads to the rows that it counts.
  await sigrid.showTable('Sign-ins over time');
  await table('Sign-ins over time').getByRole('link').last().click();
  await sigrid.expectPath(
    /\/admin-dashboard\/logs\?what=session\.started&from=\d{4}-\d\d-01&to=\d{4}-\d\d-\d\d$/,
  );
  await expect(sigrid.button('Event is Sign-ins')).toBeVisible();
});

test('job list loads further pages by keyboard without duplicates', async ({ ownOffice: office }) => {
  // The test partner email belongs to a user of another role, so these jobs fail without retry.
  await office.portal.operator(
    ...['user', 'create', '--role', 'employee', '--email', 'test.iso@example.com'],
    ...['--first-name', 'Not', '--last-name', 'Partner'],
  );
  expect((await office.portal.spvctl('seed')).code).toBe(1);
  const sigrid = await office.superAdmin();
  const givenUp = async () =>
    (await sigrid.api.get<Items<{ id: string }>>('/rest/v1/jobs?status=dead&limit=500')).items.length;
  // The job of the command is given up a moment after the command has ended.
  await expect.poll(givenUp).toBeGreaterThan(0);
  const all = (await givenUp()) + 210;
  for (let n = 0; n < 21; n += 1)
    await Promise.all(Array.from({ length: 10 }, () => sigrid.api.post('/rest/v1/jobs', { name: 'seed' })));
  await expect.poll(givenUp, { timeout: 30_000 }).toBe(all);

  await sigrid.open(paths.adminDashboard);
  await sigrid.link('Jobs', sigrid.card('Server status')).click();
  await sigrid.expectPath(paths.adminJobs);
  await expect(sigrid.field('Status')).toHaveValue('Not completed');
  await sigrid.field('Status').click();
  // The newest jobs include these; the table shows whether they failed.
  const read = sigrid.page.waitForResponse((response) => response.url().includes('status=dead'));
  await sigrid.page.getByRole('option', { name: 'Failed', exact: true }).click();
  await sigrid.expectPath(paths.adminJobsOf('dead'));
  await read;
  await expect(sigrid.page.getByRole('table', { name: 'Latest jobs' })).toHaveAttribute('aria-busy', 'false');
  const rows = sigrid.row('Failed', 'Latest jobs');
  await expect(rows).toHaveCount(100);
  const more = sigrid.button('Load more');
  await more.press('Enter');
  await expect(rows).toHaveCount(200);
  // Pages are loaded by keyboard; the focus moves to the first new row.
  await expect(more).toBeFocused();
  await sigrid.page.keyboard.press('Enter');
  await expect(sigrid.page.getByText(`1–${all} of ${all}`, { exact: true })).toBeVisible();
  await expect(more).toHaveCount(0);
  // Of so many rows, only those near the viewport are in the document.
  await expect(sigrid.page.locator('tr[data-index="200"]')).toBeFocused();
  const ids = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
  expect(new Set(ids).size).toBe(ids.length);
});
