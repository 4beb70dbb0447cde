/** Invalid and malicious input, and how it is stored and shown. */
import type { BrowserContextOptions } from '@playwright/test';
import { paths } from '../src/paths';
import type { TestServer } from './support/server';
import type { Person } from './support/users';
import { password } from './support/portal';
import { waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const markup = '<img src=x onerror="alert(1)">';
const bold = '<b>Ben</b> & "Co" {{name}} $t(close)';

test('HTML markup in names is rendered as text', async ({ office }) => {
  const who = office.newPerson('Ben', 'Amp');
  const company = office.uniqueName(`${bold} ${markup}`);
  const elias = await office.employee();
  expectNoScriptRun(elias);
  await elias.open(paths.employeeTab('companies'));
  await elias.button('Add company').click();
  await elias.fillFields({ Name: company, 'Business Name': markup }, elias.dialog('Create New Company'));
  await elias.button('Create company').click();
  await elias.expectToast('Company Created', company);
  await elias.search('Search companies', company);
  await expect(
    elias.row(company, 'Companies').getByRole('cell', { name: company, exact: true }),
  ).toBeVisible();
  await elias.chooseRowAction('Archive', company);
  await expect(elias.dialog(`Archive ${company}?`)).toBeVisible();
  await elias.button('Cancel').click();

  await elias.openTab('Clients');
  await elias.button('Quick Setup (Email)').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.fillFields(
    { 'First name': bold, 'Last name': markup, Email: who.email, 'SPV price': '100', Address: markup },
    dialog,
  );
  await elias.pickFromSearch('Company', company, dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created');
  await elias.search('Search clients', who.email);
  await expect(elias.row(who.email, 'Clients')).toContainText(`${bold} ${markup}`);
  await elias.page.reload();
  await waitForIdle(elias.page);
  await expect(elias.page.getByText(`created client ${bold} ${markup}`)).toBeVisible();

  const identifier = office.uniqueName(`Vehicle ${markup}`);
  await office.portal.operator(
    ...['spv', 'create', '--client', who.email, '--purchase-amount', '1', '--custom-identifier', identifier],
  );
  await elias.openTab('SPVs');
  await elias.order(identifier).click();
  await expect(elias.heading(identifier)).toBeVisible();
  await elias.setStepStatus(await firstStep(elias), 'Blocked', { 'Why is it blocked?': markup, Notes: bold });
  await elias.choose('Waiting for', 'The client', elias.dialog('Edit SPV Step'));
  await elias.button('Save', elias.dialog('Edit SPV Step')).click();
  await elias.expectToast('Step Updated');
  await expect(elias.steps().getByText(`${markup} Waiting for the client.`)).toBeVisible();
  await expect(elias.page.locator('main img, main b')).toHaveCount(0);

  const mail = await office.portal.post.waitForMail(who.email, 'Set your password');
  expect(mail.html).not.toContain(markup);
  expect(mail.html).toContain('&lt;img src=x');
  expect(mail.text).toContain(`Hi ${bold} ${markup},`);

  await office.setPassword(who.email);
  const ben = await office.visitor();
  expectNoScriptRun(ben);
  await ben.signIn('client', who.email, password);
  await expect(ben.heading(`Welcome, ${bold}`)).toBeVisible();
  await ben.link(`View Details of ${identifier}`).click();
  await expect(ben.card('Your tasks').getByText(markup, { exact: true })).toBeVisible();
  await expect(ben.page.locator('main img, main b')).toHaveCount(0);
});

test('invisible characters are rejected at the field', async ({ office }) => {
  const elias = await office.employee();
  await elias.open(paths.employeeTab('companies'));
  await elias.button('Add company').click();
  const dialog = elias.dialog('Create New Company');
  await elias.fillFields({ Name: 'Bell\u0007 \u001b[31mRed', 'Business Name': 'x'.repeat(300) }, dialog);
  await elias.button('Create company', dialog).click();
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('Name', 'Contains invalid characters. Remove them.', dialog);
  await expect(elias.field('Business Name', dialog)).toHaveAccessibleDescription(
    /^Must have at most \d+ characters\.$/,
  );
});

const screens: [string, BrowserContextOptions][] = [
  ['on a desk', {}],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
];

for (const [screen, options] of screens) {
  // Checked on the desktop, because both databases store such names.
  test(`longest names do not break the layout ${screen}`, async ({ office }) => {
    const { spv, email, company } = await longestNames(office);
    const sigrid = await office.superAdmin(options);
    const q = encodeURIComponent(email);
    for (const path of [
      `${paths.employeeTab('clients')}&q=${q}`,
      paths.employeeTab('companies'),
      paths.employeeTab('isos'),
      `${paths.employeeTab('spvs')}&spv=${spv}`,
      paths.adminUsers,
      `${paths.companyDashboard}?company=${company}`,
    ]) {
      await sigrid.open(path);
      await waitForIdle(sigrid.page);
      expect.soft(await overflowingElements(sigrid.page), `${path} scrolls sideways`).toEqual([]);
    }
    await sigrid.open(`${paths.employeeTab('spvs')}&spv=${spv}`);
    await sigrid.page
      .getByRole('button', { name: /^Edit / })
      .first()
      .click();
    await expect(sigrid.page.getByRole('dialog')).toBeVisible();
    expect.soft(await overflowingElements(sigrid.page), 'the step dialog scrolls sideways').toEqual([]);

    await office.setPassword(email);
    const client = await office.person(email, options);
    for (const path of [paths.clientDashboard, paths.clientOrders, paths.clientOrder(spv)]) {
      await client.open(path);
      await waitForIdle(client.page);
      expect.soft(await overflowingElements(client.page), `${path} scrolls sideways`).toEqual([]);
    }
  });
}

test('retry after a lost response creates nothing twice, and the form keeps its input', async ({
  office,
}) => {
  const who = office.newPerson('Once', 'Only');
  const elias = await office.employee();
  elias.allowError(/^Failed to load resource: net::ERR_/);
  await elias.open('/employee-dashboard');
  await elias.button('Quick Setup (Email)').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.fillFields(
    { 'First name': who.first, 'Last name': who.last, Email: who.email, 'SPV price': '100' },
    dialog,
  );
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);

  // The server processes the request, but the response is lost.
  await elias.page.route('**/rest/v1/clients', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await elias.button('Create client', dialog).click();
  await elias.expectErrorToast('Error', "Can't reach the server. Check your connection and try again.");
  await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  await elias.page.unrouteAll();

  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created', 'Client has been created and notified via email');
  const { items } = await elias.api.get<{ items: unknown[] }>(
    `/rest/v1/spvs?q=${encodeURIComponent(who.email)}`,
  );
  expect(items).toHaveLength(1);
  const mails = await office.portal.post.count(who.email, 'Set your password', (all) => all.length > 0);
  expect(mails).toHaveLength(1);
});

test('form keeps its input while the database is unavailable and can be resubmitted', async ({ office }) => {
  const name = office.uniqueName('Patience Capital');
  const typed = { Name: name, 'Business Name': `${name} LLC`, Phone: '+1 555 0163' };
  const elias = await office.employee();
  elias.allowError(/Failed to load resource|503 from/);
  await elias.open(paths.employeeTab('companies'));
  await elias.button('Add company').click();
  const dialog = elias.dialog('Create New Company');
  await elias.fillFields(typed, dialog);

  const keys: (string | undefined)[] = [];
  await elias.page.route('**/rest/v1/companies', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    const error = { code: 'unavailable', message: 'Not now', request_id: '' };
    return route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: error });
  });
  await elias.button('Create company', dialog).click();
  await elias.expectErrorToast(
    'Error',
    'The portal is temporarily unavailable. Please try again in a moment.',
  );
  for (const [label, text] of Object.entries(typed))
    await expect(elias.field(label, dialog)).toHaveValue(text);

  await elias.button('Create company', dialog).click();
  await elias.expectToast('Company Created', name);
  await expect(dialog).toBeHidden();
  // The idempotency key prevents a second row.
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

test('mails are queued while the mail server is down and sent afterwards @postgres', async ({
  ownOffice: office,
}) => {
  const who = office.newPerson('Patience', 'Post');
  await office.portal.post.close();
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.button('Quick Setup (Email)').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.fillFields(
    { 'First name': who.first, 'Last name': who.last, Email: who.email, 'SPV price': '100' },
    dialog,
  );
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created', 'Client has been created and notified via email');

  // At least one failed attempt.
  await expect
    .poll(async () => {
      const mails = await office.portal.operator<
        { to: string; attempts: number; last_error: string | null }[]
      >(...['mail', 'list']);
      return mails.filter((mail) => JSON.stringify(mail).includes(who.email) && mail.last_error).length;
    })
    .toBeGreaterThan(0);
  await office.portal.post.open();
  await office.portal.post.waitForMail(who.email, 'Set your password');
});

function expectNoScriptRun(person: Person): void {
  person.page.on('dialog', (dialog) => {
    person.unexpectedErrors.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

async function firstStep(person: Person): Promise<string> {
  const edit = person.page.getByRole('button', { name: /^Edit / }).first();
  return (await edit.getAttribute('aria-label'))?.replace(/^Edit /, '') ?? '';
}

/** The longest values that the forms accept, without break opportunities. */
async function longestNames(office: TestServer): Promise<{ spv: string; email: string; company: string }> {
  const longest = (length: number) => office.uniqueName('W'.repeat(length - 8)).replaceAll(' ', '');
  const api = await office.api();
  const company = await api.post<{ id: string; name: string }>('/rest/v1/companies', {
    name: longest(200),
    business_name: longest(200),
    email: `${'w'.repeat(60)}@${'example-'.repeat(6)}.example.com`.replace('-.', '.'),
  });
  const first = longest(100);
  const last = longest(100);
  const email = `${office.newPerson('w'.repeat(40), 'ww').email}`;
  const iso = await api.post<{ id: string }>('/rest/v1/isos', {
    first_name: first,
    last_name: last,
    email: `iso.${email}`,
    company_id: company.id,
  });
  const { client } = await api.post<{ client: { id: string } }>('/rest/v1/clients', {
    setup: 'quick',
    first_name: first,
    last_name: last,
    email,
    company_id: company.id,
    iso_id: iso.id,
    price: '9999999999.99',
    commission: '9999999999.99',
  });
  const spv = await api.post<{ id: string; steps: { id: string }[] }>('/rest/v1/spvs', {
    client_id: client.id,
    company_id: company.id,
    iso_id: iso.id,
    custom_identifier: longest(60),
    purchase_amount: '9999999999.99',
    iso_commission_percentage: '99.9999',
  });
  await api.patch(`/rest/v1/steps/${spv.steps[0]?.id}`, {
    status: 'blocked',
    blocked_reason: longest(400),
    waiting_on: 'client',
    text_data: longest(1000),
    document_url: `https://example.com/${'w'.repeat(300)}`,
  });
  return { spv: spv.id, email, company: company.id };
}
