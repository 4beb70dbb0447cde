/** Client setup: an employee signs in and creates clients with their first orders. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';
import type { Staff } from './support/users';
import { password } from './support/portal';

const missing = 'Please fill in this field.';

test('employee dashboard has four tabs', async ({ office }) => {
  const elias = await office.signedOutStaff();
  await elias.open('/auth/login/employee');
  await elias.fillFields({ Email: 'employee@example.com', Password: password });
  // The welcome toast closes after five seconds, which a slow page load may take.
  await Promise.all([
    elias.expectToast('Welcome back!', 'Successfully logged in to Employee Portal'),
    elias.button('Sign in').click(),
  ]);
  await elias.expectPath('/employee-dashboard');
  await expect(elias.heading('Employee dashboard')).toBeVisible();
  await expect(elias.page.getByText('Welcome back, Elias')).toBeVisible();

  const columns = {
    Clients: ['Name', 'Email', 'Phone', 'Company', 'ISO', 'Status', 'Actions'],
    Companies: ['Name', 'Business Name', 'Email', 'Phone', 'Actions'],
    ISOs: ['Name', 'Email', 'Phone', 'Company', 'Actions'],
  } as const;
  const tabs = elias.page.getByRole('tab');
  await expect(tabs).toHaveText(['Clients', 'Companies', 'ISOs', 'SPVs']);
  // New, urgent and performance cards come before the lists.
  const top = (await tabs.first().boundingBox())?.y ?? 0;
  for (const name of ['Newest clients', 'My Tasks', 'Recent Activity', 'Performance, last 90 days']) {
    const box = await elias.card(name).boundingBox();
    expect((box?.y ?? top) + (box?.height ?? 0), name).toBeLessThanOrEqual(top);
  }
  await expect(elias.card('Newest clients').getByRole('row')).toHaveCount(6);
  for (const tab of ['Clients', 'Companies', 'ISOs'] as const) {
    await elias.openTab(tab);
    const table = elias.page.getByRole('table', { name: tab, exact: true });
    await expect(table.getByRole('columnheader')).toHaveText(columns[tab]);
    // Header and at least three rows once loaded.
    await expect(table.getByRole('row').nth(3)).toBeVisible();
  }
  await elias.openTab('SPVs');
  await expect(elias.page.getByText('Select an SPV from the list to view its steps')).toBeVisible();
  await expect(elias.page.getByRole('region', { name: 'SPV orders' })).toBeVisible();

  // The tab is in the URL: back and reload return to it.
  await elias.expectPath('/employee-dashboard?tab=spvs');
  await elias.page.reload();
  await expect(elias.page.getByRole('tab', { name: 'SPVs', selected: true })).toBeVisible();
  // Revenue is visible to super admins only.
  await expect(elias.card('Pending Reviews')).toBeVisible();
  await expect(elias.card('Revenue')).toHaveCount(0);
});

test('Quick Setup shows validation errors, keeps the input and mails the client @postgres', async ({
  office,
}) => {
  const who = office.newPerson('Olga', 'Brandt');
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.button('Quick Setup (Email)').click();

  await elias.fillFields({ 'First name': who.first, 'Last name': '   ', Phone: '1'.repeat(41) }, dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  for (const label of ['Last name', 'Email', 'Company', 'ISO', 'SPV price']) {
    await elias.expectFieldError(label, missing, dialog);
  }
  await elias.expectFieldError('Phone', 'Must have at most 40 characters.', dialog);
  await expect(elias.field('Last name', dialog)).toBeFocused();
  for (const label of ['First name', 'Address']) {
    await expect(elias.field(label, dialog)).not.toHaveAccessibleDescription(missing);
  }
  await expect(elias.field('First name', dialog)).toHaveValue(who.first);

  // A field error clears only when its own field changes.
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await expect(elias.field('Company', dialog)).not.toHaveAccessibleDescription(missing);
  await elias.expectFieldError('Last name', missing, dialog);
  await elias.fillFields(
    { 'Last name': who.last, Email: 'olga at example', Phone: '', 'SPV price': '-5' },
    dialog,
  );
  const mistakes = async () => {
    await elias.expectFieldError('Email', 'Enter an email address, for example name@example.com.', dialog);
    await elias.expectFieldError('SPV price', 'Must be zero or more.', dialog);
    await expect(elias.field('Company', dialog)).not.toHaveAccessibleDescription(missing);
    await expect(elias.field('Email', dialog)).toBeFocused();
  };
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.expectFieldError('ISO', missing, dialog);
  await mistakes();
  await elias.pickFromSearch('ISO', 'Ingrid Solberg', dialog);
  // With a partner a commission is required.
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.expectFieldError('Commission', missing, dialog);
  await mistakes();

  await elias.fillFields({ Commission: 'a tenth' }, dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Error');
  await mistakes();
  await elias.expectFieldError('Commission', 'Enter an amount, for example 1250.00.', dialog);

  await elias.fillFields({ Email: who.email, 'SPV price': '1234567890123', Commission: '125.00' }, dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('SPV price', 'Is too large.', dialog);
  await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  await expect(elias.field('Company', dialog)).toHaveValue('Meridian Ventures');

  await elias.fillFields({ 'SPV price': '1,250.00' }, dialog);
  const before = await counters(elias);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created', 'Client has been created and notified via email');
  await expect(dialog).toBeHidden();

  await elias.search('Search clients', who.email);
  const row = elias.row(who.email, 'Clients');
  await expect(row).toContainText('Olga Brandt');
  await expect(row).toContainText('Meridian Ventures');
  await expect(row).toContainText('Ingrid Solberg');
  await expect(row).toContainText('Pending');
  const after = await counters(elias);
  expect(after.total_clients).toBe(before.total_clients + 1);
  await expect(elias.card('Total Clients')).toContainText(String(after.total_clients));
  await expect(elias.card('Active SPVs')).toContainText(String(after.active_spvs));

  const mail = await office.portal.post.waitForMail(who.email, 'Set your password');
  expect(mail.text).toContain('Hi Olga Brandt');
  const [order] = await ordersOf(office, who.email);
  expect(order).toMatchObject({ status: 'active', price: '1250.00', commission: '125.00', country: 'US' });
  // The client history includes the events of the order.
  await elias.chooseRowAction('History', who.name);
  const history = elias.dialog(`History of ${who.name}`);
  await expect(history).toContainText(`Elias Brandt created client ${who.name}`);
  await expect(history).toContainText('Elias Brandt created order SPV-');
});

test('Full Setup creates an active account and mails a welcome', async ({ office }) => {
  const who = office.newPerson('Felix', 'Aymar');
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const dialog = elias.dialog('Full Setup');
  await elias.button('Full Setup').click();
  await elias.fillFields(
    {
      'First name': who.first,
      'Last name': who.last,
      Email: who.email,
      Phone: '+1 555 0177',
      Address: '1 Harbor Street',
      'SPV price': '2000',
    },
    dialog,
  );
  await elias.pickFromSearch('Company', 'Harborline Capital', dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await expect(elias.field('Commission', dialog)).toHaveCount(0);
  await elias.choose('Country', 'UAE', dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created', 'Client account is ready and welcome email sent');

  await elias.search('Search clients', who.email);
  await expect(elias.row(who.email, 'Clients')).toContainText('Active');
  await expect(elias.row(who.email, 'Clients')).toContainText('+1 555 0177');
  const mail = await office.portal.post.waitForMail(who.email, 'Welcome to');
  expect(mail.link('/auth/reset-password')).toContain('token_hash=');
  const [order] = await ordersOf(office, who.email);
  expect(order).toMatchObject({ status: 'active', price: '2000.00', country: 'AE', iso_id: null });
});

test('existing email, in any letter case, offers an order for that client instead', async ({ office }) => {
  const who = office.newPerson('Tara', 'Quinn');
  await office.clientWithOrder(who);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.button('Quick Setup (Email)').click();
  await elias.fillFields(
    { 'First name': 'T.', 'Last name': 'Q.', Email: who.email.toUpperCase(), 'SPV price': '10' },
    dialog,
  );
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await elias.button('Create client', dialog).click();

  const taken = /already exists|already has an account/;
  await elias.expectErrorToast('Error', taken);
  await expect(elias.field('Email', dialog)).toHaveAccessibleDescription(taken);
  await expect(elias.field('First name', dialog)).toHaveValue('T.');
  await expect(dialog.getByRole('alert')).toContainText('This email address already belongs to a client.');
  expect(await ordersOf(office, who.email)).toHaveLength(1);

  await elias.button('Add order for this client', dialog).click();
  const order = elias.dialog('Create SPV Order');
  await expect(elias.field('Client', order)).toHaveValue(`${who.name} (${who.email})`);
  await elias.fillFields({ 'Purchase amount': '400000' }, order);
  await elias.button('Create order', order).click();
  await elias.expectToast('SPV Created');
  expect(await ordersOf(office, who.email)).toHaveLength(2);
});

test('partner that no longer matches is rejected at the field and can be replaced', async ({ office }) => {
  const who = office.newPerson('Nora', 'Lind');
  const company = await office.company();
  const [stranger, leaving] = await Promise.all([
    partnerOf(office, await office.company(), 'Stan', 'Ager'),
    partnerOf(office, company, 'Lea', 'Ving'),
  ]);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const dialog = elias.dialog('Full Setup');
  await elias.button('Full Setup').click();
  await elias.fillFields(
    { 'First name': who.first, 'Last name': who.last, Email: who.email, 'SPV price': '900' },
    dialog,
  );
  await elias.pickFromSearch('Company', company.name, dialog);
  const refused = async (message: string) => {
    await elias.button('Create client', dialog).click();
    await elias.expectErrorToast('Error', `ISO: ${message}`);
    await elias.expectFieldError('ISO', message, dialog);
    await expect(elias.field('ISO', dialog)).toBeFocused();
    await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  };

  // Only partners of the company are offered; this one belongs to another company.
  const partners = /\/rest\/v1\/isos\?.*company_id=/;
  await elias.page.route(partners, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.delete('company_id');
    return route.continue({ url: url.href });
  });
  await elias.pickFromSearch('ISO', stranger.name, dialog);
  await elias.page.unroute(partners);
  await elias.fillFields({ Commission: '90' }, dialog);
  await refused('Does not belong to the chosen company.');

  await elias.pickFromSearch('ISO', leaving.name, dialog);
  await elias.api.post(`/rest/v1/isos/${leaving.id}/archive`);
  await refused('Is archived. Restore it or choose another.');
  expect(await ordersOf(office, who.email)).toEqual([]);

  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created');
  expect(await ordersOf(office, who.email)).toHaveLength(1);
});

test('form with input asks before it is closed', async ({ office }) => {
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.button('Quick Setup (Email)').click();
  await elias.button('Cancel', dialog).click();
  await expect(dialog).toBeHidden();

  await elias.button('Quick Setup (Email)').click();
  await elias.fillFields({ 'First name': 'Half' }, dialog);
  await elias.page.keyboard.press('Escape');
  const question = elias.page.getByRole('alertdialog', { name: 'Discard changes?' });
  await elias.button('Keep editing', question).click();
  await expect(elias.field('First name', dialog)).toHaveValue('Half');
  await elias.button('Close', dialog).click();
  await elias.button('Discard', question).click();
  await expect(dialog).toBeHidden();
});

test('client can be edited, suspended, reactivated, archived and restored', async ({ office }) => {
  const who = office.newPerson('Vera', 'Molnar');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.search('Search clients', who.email);

  await elias.chooseRowAction('Edit', who.name);
  const edit = elias.dialog('Edit client');
  await elias.fillFields({ Phone: '+44 20 7946 0018' }, edit);
  await elias.button('Save', edit).click();
  await elias.expectToast('Client updated', who.name);
  await expect(elias.row(who.email)).toContainText('+44 20 7946 0018');

  const vera = await office.visitor();
  await vera.signIn('client', who.email, password);
  await expect(vera.heading('Welcome, Vera')).toBeVisible();

  await elias.chooseRowAction('Suspend', who.name);
  await elias.button('Suspend', elias.dialog(`Suspend ${who.name}?`)).click();
  await elias.expectToast('Client suspended', who.name);
  await expect(elias.row(who.email)).toContainText('Suspended');
  // Her session is revoked: the open page signs out and she cannot sign in again.
  await vera.expectErrorToast('Logged Out', 'Your session has ended. Please sign in again.');
  await vera.expectPath('/');
  await vera.signIn('client', who.email, password);
  await vera.expectErrorToast(
    'Login Failed',
    'This account is suspended or archived. Please contact support.',
  );

  await elias.chooseRowAction('Restore', who.name);
  await elias.expectToast('Client restored', who.name);
  await vera.submitSignIn(who.email, password);
  await expect(vera.heading('Welcome, Vera')).toBeVisible();

  await expect(elias.row(who.name, 'Clients')).toContainText('Active');
  await elias.chooseRowAction('Archive', who.name);
  await elias.button('Archive', elias.dialog(`Archive ${who.name}?`)).click();
  await elias.expectToast('Client archived', who.name);
  await expect(elias.page.getByText(`No results for “${who.email}”`)).toBeVisible();
  await elias.filterBy('Status', 'Archived');
  await expect(elias.row(who.email)).toContainText('Archived');
  await elias.chooseRowAction('Restore', who.name);
  await elias.expectToast('Client restored', who.name);
  await elias.button('Remove filter Status').click();
  await expect(elias.row(who.email)).toContainText('Active');
});

test('each tab has loading, error and retry states', async ({ office }) => {
  const elias = await office.employee();
  for (const [tab, list] of [
    ['Clients', 'clients'],
    ['Companies', 'companies'],
    ['ISOs', 'isos'],
    ['SPVs', 'spvs'],
  ] as const) {
    const address = new RegExp(`/rest/v1/${list}(\\?|$)`);
    let response = () => undefined as void;
    const way = new Promise<void>((resolve) => (response = resolve));
    // A 4xx response, because 5xx would be retried first.
    await elias.page.route(address, async (route) => {
      await way;
      return route.fulfill({ status: 404 });
    });
    await elias.open(paths.employeeTab(list));
    const panel = elias.page.getByRole('tabpanel', { name: tab, exact: true });
    const orders = panel.getByRole('region', { name: 'SPV orders', exact: true });
    const rows = panel.getByRole('cell').or(orders.getByRole('button'));
    const waiting = panel.locator('[aria-busy="true"]');
    await expect(waiting.first()).toBeVisible();
    await expect(rows).toHaveCount(0);
    response();
    await expect(panel.getByRole('alert')).toContainText("Couldn't load this");
    await expect(waiting).toHaveCount(0);
    await elias.page.unroute(address);
    await elias.button('Try again', panel).click();
    await expect(rows.first()).toBeVisible();
    await expect(panel.getByRole('alert')).toHaveCount(0);
  }
});

test('every list has an empty state in a new installation', async ({ emptyOffice }) => {
  const ada = await emptyOffice.firstEmployee('Ada', 'Berg');
  await ada.open('/employee-dashboard');
  for (const card of ['Total Clients', 'Active SPVs', 'Pending Reviews']) {
    // Without the hidden description of an info button.
    await expect(ada.card(card)).toHaveText(new RegExp(`^${card}\\s*0$`), { useInnerText: true });
  }
  const empty = { Clients: 'No clients yet', Companies: 'No companies yet', ISOs: 'No ISOs yet' } as const;
  for (const tab of ['Clients', 'Companies', 'ISOs'] as const) {
    await ada.openTab(tab);
    await expect(ada.page.getByText(empty[tab], { exact: true })).toBeVisible();
    await expect(ada.page.getByRole('table')).toHaveCount(0);
  }
  await ada.openTab('SPVs');
  await expect(ada.page.getByText('No SPVs yet', { exact: true })).toBeVisible();
  await expect(ada.page.getByText('Select an SPV from the list to view its steps')).toBeVisible();
  // The seed button exists in demo mode only.
  await expect(ada.button('Seed Test Data')).toHaveCount(0);
  // A filtered list has its own empty message.
  for (const [path, words] of [
    ['leads?stage=lost', 'No matches'],
    ['commissions?status=paid', 'No matches'],
    ['invoices?q=nothing', 'No results for “nothing”'],
    ['calls?status=declined', 'No matches'],
  ] as const) {
    await ada.open(`/employee-dashboard/${path}`);
    await expect(ada.page.getByText(words, { exact: true })).toBeVisible();
    await expect(ada.button('Clear all')).toBeVisible();
  }
});

async function counters(staff: Staff) {
  return staff.api.get<{ total_clients: number; active_spvs: number }>('/rest/v1/dashboards/employee');
}

interface Order {
  status: string;
  price: string | null;
  commission: string | null;
  country: string;
  iso_id: string | null;
  client_email: string;
}

async function partnerOf(
  office: TestServer,
  company: { id: string },
  first: string,
  last: string,
): Promise<{ id: string; name: string }> {
  const who = office.newPerson(first, last);
  const api = await office.api();
  const { id } = await api.post<{ id: string }>('/rest/v1/isos', {
    first_name: first,
    last_name: last,
    email: who.email,
    company_id: company.id,
  });
  return { id, name: who.name };
}

async function ordersOf(office: TestServer, email: string): Promise<Order[]> {
  const api = await office.api();
  const { items } = await api.get<{ items: Order[] }>(`/rest/v1/spvs?q=${encodeURIComponent(email)}`);
  return items.filter((order) => order.client_email === email);
}
