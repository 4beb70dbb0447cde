/** ISO partner portal: lead, order, commission, payout and calls. */
import { readFile } from 'node:fs/promises';
import { expect, test } from './support/fixtures';

interface Orders {
  items: { id: string; identifier: string }[];
}
interface Ledger {
  items: { id: string; amount: string; status: string }[];
}
interface Earned {
  currency: string;
  total: string;
}
interface Statement {
  items: { amount: string; status: string }[];
  sums: { currency: string; total: string; paid: string }[];
}

test('lead becomes a client, the order closes, and the commission is approved and paid @postgres', async ({
  office,
}) => {
  const who = office.newPerson('Lena', 'Fischer');
  const ingrid = await office.iso();
  await ingrid.open('/iso-dashboard');
  await expect(ingrid.card('Pending Leads')).toContainText(/\d/);
  await ingrid.button('Add Lead').click();
  const adding = ingrid.dialog('Add Lead');
  await ingrid.fillFields({ Email: 'lena at example' }, adding);
  await ingrid.button('Add lead', adding).click();
  await ingrid.expectErrorToast('Missing Information');
  await ingrid.expectFieldError('Last name', 'Please fill in this field.', adding);
  await ingrid.expectFieldError('Email', 'Enter an email address, for example name@example.com.', adding);
  const facts = {
    'First name': who.first,
    'Last name': who.last,
    Email: who.email,
    'Next step': 'Call back',
  };
  await ingrid.fillFields(facts, adding);
  await ingrid.button('Add lead', adding).click();
  await ingrid.expectToast('Lead added', /^Reserved for you until /);

  // The client already has a partner; the response reveals no name.
  await ingrid.open('/iso-dashboard/leads');
  await ingrid.button('Add Lead').first().click();
  await ingrid.fillFields(
    { 'First name': 'Nora', 'Last name': 'Eriksen', Email: 'nora.eriksen@example.com' },
    adding,
  );
  await ingrid.button('Add lead', adding).click();
  await ingrid.expectErrorToast('Error', 'We already know this person. Please contact our team.');
  await ingrid.button('Cancel', adding).click();
  await ingrid.button('Discard', adding).click();
  await ingrid.chooseRowAction('Mark as Qualified', who.name);
  await ingrid.expectToast('Lead saved', who.name);
  await expect(ingrid.row(who.name, 'Leads')).toContainText('90 days left');
  const days = ingrid.page.getByRole('button', { name: 'About Reserved', exact: true });
  await expect(days).toHaveAccessibleDescription(
    /^While a lead is reserved, no other partner can add the same person/,
  );
  await ingrid.search('Search leads', who.last);
  await expect(ingrid.row(who.name, 'Leads')).toHaveCount(1);
  const [leads] = await Promise.all([
    ingrid.page.waitForEvent('download'),
    ingrid.button('Export CSV').click(),
  ]);
  expect(leads.suggestedFilename()).toMatch(/^leads-\d{4}-\d\d-\d\d\.csv$/);
  const leadLines = (await readFile(await leads.path(), 'utf8')).trim().split('\r\n');
  expect(leadLines).toHaveLength(2);
  expect(leadLines[1]).toContain(`,Ingrid Solberg,${who.first},${who.last},${who.email},`);

  // A filtered list has its own empty message.
  await ingrid.filterBy('Stage', 'Lost');
  await expect(ingrid.page.getByText(`No results for “${who.last}”`)).toBeVisible();
  await expect(ingrid.button('Add Lead')).toHaveCount(1);
  await ingrid.button('Remove filter Stage').click();
  await expect(ingrid.row(who.name, 'Leads')).toHaveCount(1);

  // The lead is on the request desk, where it is converted.
  const elias = await office.employee();
  await elias.open(`/request-management?kind=lead&q=${who.email}`);
  await expect(elias.row(who.name, 'Requests')).toContainText('Pending');
  const reference =
    /REQ-[0-9a-f]{8}/.exec((await elias.row(who.name, 'Requests').textContent()) ?? '')?.[0] ?? '';
  await elias.chooseRowAction('Convert to client', reference);
  const terms = elias.dialog(`Convert ${who.name}`);
  await expect(terms).toContainText('with Ingrid Solberg as the ISO partner');
  await elias.fillFields({ 'SPV price': '12000', Commission: '1234.56' }, terms);
  await elias.button('Convert to client', terms).click();
  await elias.expectToast('Lead converted', who.name);
  await expect(elias.row(who.name, 'Requests')).toContainText('Approved');

  // The partner page stayed open throughout.
  await expect(ingrid.row(who.name, 'Leads')).toContainText('Won');
  await ingrid.open('/iso-dashboard/clients');
  await ingrid.search('Search clients', who.last);
  await ingrid.link(who.name).click();
  await ingrid.fillFields({ 'New note': 'Wants a second vehicle in spring.' });
  await ingrid.button('Add note').click();
  await ingrid.expectToast('Note saved');
  await expect(ingrid.page.getByText('Wants a second vehicle in spring.')).toBeVisible();

  // Closing the order earns the commission.
  const clientId = new URL(ingrid.page.url()).pathname.split('/').at(-1) ?? '';
  const { items } = await elias.api.get<Orders>(`/rest/v1/spvs?client_id=${clientId}`);
  const { id = '', identifier = '' } = items[0] ?? {};
  const { steps } = await elias.api.get<{ steps: { id: string }[] }>(`/rest/v1/spvs/${id}`);
  await elias.api.post(`/rest/v1/spvs/${id}/steps/complete`, { ids: steps.map((step) => step.id) });
  await elias.open('/employee-dashboard/commissions?status=pending');
  await expect(elias.row(identifier, 'Ledger')).toContainText('$1,234.56');
  await elias.page.getByRole('checkbox', { name: `Select ${identifier}`, exact: true }).check();
  await elias.button('Approve selected (1)').click();
  await elias.expectToast('Commissions approved');
  await elias.link('Payout runs').click();
  await elias.button('Open payout run').click();
  // The sum stands on the button before anything is opened.
  const opening = elias.dialog('Open payout run');
  await expect(opening.getByRole('row', { name: /Ingrid Solberg/ })).toContainText('$1,234.56');
  await opening.getByRole('button', { name: /^Open run of \$/ }).click();
  await elias.expectToast('Payout run opened', /^PAY-/);
  // The newest run is paid once the new one is in the table.
  const name = (await elias.row(/PAY-.*Open/, 'Runs').textContent())?.match(/PAY-\d+-\d+/)?.[0] ?? '';
  const [file] = await Promise.all([
    elias.page.waitForEvent('download'),
    elias.chooseRowAction('Download bank file (CSV)', name),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toContain('Ingrid Solberg,iso@example.com');
  await elias.chooseRowAction('Record as paid', name);
  // The button that cannot be undone repeats the sum.
  const paying = elias.dialog(`Record ${name} as paid`);
  await paying.getByRole('button', { name: /^Record \$[\d,]+\.\d\d.* as paid$/ }).click();
  await elias.expectToast('Payout run recorded as paid', name);

  // Partner and company see the same amounts on the screen and in the CSV.
  await ingrid.open('/iso-dashboard/commissions');
  await expect(ingrid.row(identifier, 'Ledger')).toContainText('Paid');
  await expect(ingrid.row(identifier, 'Ledger')).toContainText(name);
  await ingrid.field('Period').click();
  await ingrid.page.getByRole('option', { name: 'This Year', exact: true }).click();
  await ingrid.expectPath('/iso-dashboard/commissions?period=this_year');
  const year = await ingrid.api.get<Earned>('/rest/v1/commissions/overview?period=this_year');
  const cards = ingrid.card('Commission Overview');
  await expect(cards).toContainText(/Earned from Jan 1, \d{4} to /);
  await expect(cards).toContainText(
    Number(year.total).toLocaleString('en-US', { style: 'currency', currency: year.currency }),
  );
  const statement = await ingrid.api.get<Statement>('/rest/v1/commissions/statement');
  const total = statement.sums[0]?.total ?? '';
  await ingrid.open('/iso-dashboard/commissions/statement');
  const paper = ingrid.page.getByRole('article', { name: 'Commission statement' });
  await expect(paper).toContainText(
    Number(total).toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
  );
  const explained = paper.getByRole('button', { name: 'About Amount', exact: true });
  await expect(explained).toHaveAccessibleDescription(/^The order's commission\./);
  const rule = paper.getByRole('button', { name: 'About Rule', exact: true });
  await expect(rule).toHaveAccessibleDescription(/^A percentage of the purchase amount/);
  // Print contains only the table.
  await ingrid.page.emulateMedia({ colorScheme: 'dark' });
  await expect(ingrid.page.locator('body')).not.toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await ingrid.page.emulateMedia({ media: 'print' });
  // Print uses the light scheme from the dark one too.
  await expect(ingrid.page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(ingrid.page.locator('body')).toHaveCSS('color', 'rgb(29, 34, 41)');
  await expect(paper.getByRole('table')).toBeVisible();
  await expect(ingrid.page.getByRole('navigation')).toHaveCount(0);
  await expect(ingrid.button('Print')).toHaveCount(0);
  await expect(paper.getByRole('button', { name: /^About / })).toHaveCount(0);
  await ingrid.page.emulateMedia({ media: null, colorScheme: null });
  const [csv] = await Promise.all([
    ingrid.page.waitForEvent('download'),
    ingrid.button('Export CSV').click(),
  ]);
  const lines = (await readFile(await csv.path(), 'utf8')).trim().split('\r\n').slice(1);
  const cents = lines.map((line) => line.split(',')).filter((cells) => cells[11] !== 'void');
  const sum = cents.reduce((all, cells) => all + Math.round(Number(cells[10]) * 100), 0);
  expect(sum).toBe(Math.round(Number(total) * 100));
  const clara = await office.companyAdmin();
  const companys = await clara.api.get<Ledger>(`/rest/v1/commissions?spv_id=${id}`);
  expect(companys.items.map(({ amount, status }) => `${amount} ${status}`)).toEqual(['1234.56 paid']);
  await clara.open('/company-dashboard/reports?report=commissions&period=all_time');
  const report = clara.page.getByRole('article', { name: 'Commissions' });
  const reported = report.getByRole('row', { name: new RegExp(identifier) });
  await expect(reported).toContainText('$1,234.56');
  await expect(reported).toContainText('Paid');
});

test('call is requested, confirmed and exported to a calendar', async ({ office }) => {
  const ingrid = await office.iso();
  await ingrid.open('/iso-dashboard');
  await ingrid.button('Schedule Call').click();
  const dialog = ingrid.dialog('Schedule Call');
  const topic = office.uniqueName('Terms for a fund');
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await ingrid.field('Second choice', dialog).fill(`${soon}T17:30`);
  await ingrid.button('Request call', dialog).click();
  await ingrid.expectErrorToast('Missing Information');
  await ingrid.expectFieldError('Topic', 'Please fill in this field.', dialog);
  await expect(ingrid.field('First choice', dialog)).toHaveAccessibleDescription(
    'Please fill in this field.',
  );
  await ingrid.fillFields({ Topic: topic }, dialog);
  await ingrid.field('First choice', dialog).fill(`${soon}T15:00`);
  await ingrid.button('Request call', dialog).click();
  await ingrid.expectToast('Call requested');
  const elias = await office.employee();
  await elias.open('/employee-dashboard/calls?status=requested');
  await elias.chooseRowAction('Confirm', topic);
  const response = elias.dialog('Confirm the call with Ingrid Solberg');
  await elias.fillFields({ 'Dial-in details': 'We call you.' }, response);
  await elias.button('Confirm', response).click();
  await elias.expectToast('Call confirmed');
  // The lead is also a request, now answered.
  await ingrid.open('/iso-dashboard/requests');
  await expect(ingrid.row(topic, 'All requests')).toContainText('Approved');
  await expect(ingrid.row(topic, 'All requests')).toContainText('Reply: We call you.');
  await ingrid.open('/iso-dashboard/calls');
  await expect(ingrid.row(topic, 'Calls')).toContainText('Confirmed');
  const [file] = await Promise.all([
    ingrid.page.waitForEvent('download'),
    ingrid.chooseRowAction('Add to calendar', topic),
  ]);
  const calendar = await readFile(await file.path(), 'utf8');
  expect(calendar).toContain('BEGIN:VEVENT');
  expect(calendar).toContain('DTSTART:');
  // Staff can cancel a confirmed call.
  await elias.open('/employee-dashboard/calls?status=confirmed');
  await expect(elias.row(topic, 'Calls')).toHaveCount(1);
  const [calls] = await Promise.all([
    elias.page.waitForEvent('download'),
    elias.button('Export CSV').click(),
  ]);
  const confirmed = await readFile(await calls.path(), 'utf8');
  expect(confirmed).toContain(`,Ingrid Solberg,${topic},`);
  expect(confirmed).not.toContain(',requested,');
  await elias.chooseRowAction('Cancel call', topic);
  const question = elias.dialog(`Cancel “${topic}”?`);
  await elias.button('Cancel call', question).click();
  await elias.expectToast('Call cancelled', topic);
  await expect(ingrid.row(topic, 'Calls')).toContainText('Cancelled');
  // The partner has the same filters as staff.
  await ingrid.filterBy('Status', 'Requested');
  await ingrid.expectPath('/iso-dashboard/calls?status=requested');
  await expect(ingrid.row(topic, 'Calls')).toHaveCount(0);
  await ingrid.filterBy('Status', 'Cancelled');
  await expect(ingrid.row(topic, 'Calls')).toContainText('Cancelled');
});

test('partner edits the profile, and every page is linked', async ({ office }) => {
  const ingrid = await office.iso();
  await ingrid.open('/iso-dashboard/profile');
  await ingrid.fillFields({ Phone: '+1 555 0144' });
  await ingrid.button('Save Changes').click();
  await ingrid.expectToast('Profile Updated', 'Your changes have been saved successfully.');
  for (const name of ['Dashboard', 'My Clients', 'Commissions', 'Leads', 'Profile'])
    await expect(ingrid.link(name).first()).toBeVisible();
});

test('lead without an organisation shows its email once', async ({ office }) => {
  const who = office.newPerson('Dario', 'Conti');
  const ingrid = await office.iso();
  const { first: first_name, last: last_name, email } = who;
  await ingrid.api.post('/rest/v1/leads', { first_name, last_name, email });
  await ingrid.open('/iso-dashboard/leads');
  const row = ingrid.row(who.name, 'Leads');
  await expect(row.getByText(email)).toHaveCount(1);
});
