/** Company portal: settings, company-wide currency and clock, and isolation between companies and partners. */
import type { Locator } from '@playwright/test';
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';
import type { Person } from './support/users';

/** A 16 × 16 px PNG. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGNQ9zgCRwzEcQDpUxMxVufh1gAAAABJRU5ErkJggg==',
  'base64',
);

interface CompanyFixture {
  company: { id: string; name: string };
  admin: Person;
  email: string;
  client: string;
  clientId: string;
  order: string;
}

/** A company with an admin, a client and an order. */
async function createCompany(office: TestServer, name: string, first: string): Promise<CompanyFixture> {
  const company = await office.company(office.uniqueName(name));
  const who = office.newPerson(first, 'Keeper');
  const client = office.newPerson(`Client${first}`, 'Okoro');
  const api = await office.api();
  await api.post(`/rest/v1/companies/${company.id}/members`, {
    first_name: who.first,
    last_name: who.last,
    email: who.email,
  });
  const made = await office.clientWithOrder(client, company.id);
  await office.setPassword(who.email);
  return {
    company,
    admin: await office.person(who.email),
    email: who.email,
    client: client.name,
    clientId: made.client.id,
    order: made.spv.identifier,
  };
}

test('company admin changes time zone, language and currency, which then apply', async ({ office }) => {
  const { company, admin: clara, email, clientId } = await createCompany(office, 'Larkspur Capital', 'Clara');
  const { page } = clara;
  await clara.open('/company-dashboard');
  await expect(clara.heading(company.name)).toBeVisible();
  const side = page.getByRole('navigation', { name: 'Main navigation' });
  await clara.link('Settings', side).click();
  await clara.expectPath('/company-dashboard/settings');

  const about = page.getByRole('form', { name: 'Company Information' });
  await clara.fillFields({ 'Legal name': '', 'Tax ID / EIN': '07-12' }, about);
  await clara.button('Save Changes', about).click();
  await clara.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await clara.expectFieldError('Legal name', 'Please fill in this field.', about);
  await clara.expectFieldError(
    'Tax ID / EIN',
    "Enter the number in this country's format, for example 12-3456789.",
  );
  await clara.fillFields(
    { 'Tax ID / EIN': '123456789', 'Legal name': 'Larkspur Capital Partners LP' },
    about,
  );
  await clara.choose('Industry', 'Finance', about);
  await clara.choose('Company size', '51-200 employees', about);
  await clara.button('Save Changes', about).click();
  await clara.expectToast('Settings Saved', 'Your company settings have been updated successfully.');
  await expect(clara.field('Tax ID / EIN', about)).toHaveValue('12-3456789');

  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
  await choose('logo.png', picture);
  await clara.expectToast('Settings Saved');
  await expect(side.locator('img')).toHaveJSProperty('naturalWidth', 4);

  const regional = page.getByRole('form', { name: 'Regional Settings' });
  await clara.pickFromSearch('Time zone', 'Kiritimati', regional);
  // By keyboard, because a toast covers the option list.
  await clara.button('Language', regional).pressSequentially('Es');
  await clara.button('Currency', regional).pressSequentially('EU');
  await clara.button('Save Changes', regional).click();
  await clara.expectToast('Settings Saved');
  const there = new Date().toLocaleDateString('en-US', {
    timeZone: 'Pacific/Kiritimati',
    ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
  });
  await expect(regional).toContainText(there);

  // Staff see the company currency preselected in a new order.
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=spvs');
  await elias.button('Create SPV Order').click();
  const dialog = elias.dialog('Create SPV Order');
  await elias.pickFromSearch('Company', company.name, dialog);
  await expect(dialog).toContainText('EUR');

  // Mails are in the language of the user and embed the logo.
  await clara.link('Employees', side).click();
  await clara.button('Invite admin').click();
  const theo = office.newPerson('Theo', 'Lang');
  await clara.fillFields({ 'First name': theo.first, 'Last name': theo.last, Email: theo.email });
  await clara.button('Send invitation').click();
  await clara.expectToast('Invitation sent', `We sent ${theo.email} a link to set a password.`);
  const mail = await office.portal.post.waitForMail(theo.email, 'Elija su contraseña');
  expect(mail.html).toContain('cid:logo');
  await expect(clara.row(theo.email)).toContainText('Pending');
  await clara.chooseRowAction('Remove', theo.name);
  await clara.button('Remove', clara.dialog(`Remove ${theo.name}?`)).click();
  await clara.expectToast('Admin removed', theo.name);
  await expect(clara.row(theo.email)).toHaveCount(0);
  // Users cannot remove themselves.
  await expect(clara.row(email)).toContainText('You');
  await expect(clara.button('Actions for Clara Keeper')).toHaveCount(0);

  // New orders and totals use the new currency; earlier orders are listed below.
  const order = { client_id: clientId, company_id: company.id, purchase_amount: '2500000.00' };
  await (await office.api()).post('/rest/v1/spvs', order);
  await clara.link('Overview', side).click();
  await expect(clara.card('Total Revenue')).toContainText('€2.5M');
  await expect(clara.card('Total Revenue')).toContainText('$1,250.00');
  await expect(page.getByRole('region', { name: 'Recent Activities' })).toContainText(
    `Clara Keeper changed the settings of ${company.name}`,
  );
});

/** An ISO partner of a company with a client, its order and a lead. */
async function partner(office: TestServer, companyId: string, first: string) {
  const who = office.newPerson(first, 'Bringer');
  const client = office.newPerson(`Brought${first}`, 'Okoro');
  const lead = office.newPerson(`Lead${first}`, 'Okoro');
  const api = await office.api();
  const iso = await api.post<{ id: string }>('/rest/v1/isos', {
    first_name: who.first,
    last_name: who.last,
    email: who.email,
    company_id: companyId,
  });
  const made = await office.clientWithOrder(client, companyId, iso.id);
  await office.setPassword(who.email);
  const person = await office.person(who.email);
  await person.api.post('/rest/v1/leads', {
    first_name: lead.first,
    last_name: lead.last,
    email: lead.email,
  });
  return {
    iso: person,
    client: client.name,
    clientId: made.client.id,
    isoId: iso.id,
    order: made.spv.identifier,
    orderId: made.spv.id,
    lead: lead.name,
  };
}

test("a partner's table loads as it is opened, and what staff do to an order is seen live @postgres", async ({
  office,
}) => {
  const { company, admin: clara, clientId } = await createCompany(office, 'Tamarind Funds', 'Cleo');
  const ilse = await partner(office, company.id, 'Ilse');
  // Enough orders that the last table is collapsed.
  const api = await office.api();
  const order = { client_id: clientId, company_id: company.id, purchase_amount: '1000.00' };
  for (let made = 0; made < 50; made += 10)
    await Promise.all(Array.from({ length: 10 }, () => api.post('/rest/v1/spvs', order)));

  await clara.open('/company-dashboard');
  const group = (name: string) => clara.page.getByRole('region', { name, exact: true });
  const explained = (name: string) => group(name).getByRole('button', { name: `About ${name}`, exact: true });
  await expect(clara.row(ilse.client, 'Ilse Bringer')).toContainText(ilse.order);
  await expect(explained('Ilse Bringer')).toHaveAccessibleDescription(
    'All company orders with this partner, in any status.',
  );
  const head = group('Unassigned').getByRole('button', { name: /^Unassigned/ });
  await expect(head).toContainText('51 orders');
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  await expect(group('Unassigned').getByRole('table')).toHaveCount(0);
  const how = explained('Unassigned');
  await how.hover();
  await expect(clara.page.getByRole('tooltip')).toContainText('without a partner');
  await clara.withoutReload(async () => {
    await head.click();
    await expect(head).toHaveAttribute('aria-expanded', 'true');
    const rows = group('Unassigned').getByRole('table', { name: 'Unassigned', exact: true }).getByRole('row');
    await expect(rows).toHaveCount(21);
    await clara.button('Load more', group('Unassigned')).click();
    await expect(rows).toHaveCount(41);

    const staff = await office.api('employee@example.com');
    await staff.post(`/rest/v1/spvs/${ilse.orderId}/hold`, { reason: 'A paper is missing' });
    await expect(group('Recent Activities')).toContainText(`put order ${ilse.order} on hold`);
    await expect(clara.row(ilse.client, 'Ilse Bringer')).toContainText('On hold');
  });
});

test('sidebar is a drawer with every page on a phone', async ({ office }) => {
  const clara = await office.companyAdmin({ viewport: { width: 390, height: 844 } });
  await clara.open('/company-dashboard');
  const drawer = clara.dialog('Company Portal');
  const goes = async (name: string, path: string) => {
    await clara.button('Open navigation').click();
    await clara.link(name, drawer.getByRole('navigation', { name: 'Main navigation' })).click();
    await clara.expectPath(path);
    await expect(drawer).toBeHidden();
    await expect(clara.page.getByRole('navigation', { name: 'Main navigation' })).toHaveCount(0);
  };
  for (const [name, path] of [
    ['SPV Portfolio', 'spv'],
    ['Employees', 'employees'],
    ['Clients', 'clients'],
    ['Analytics', 'analytics'],
    ['Finances', 'finances'],
    ['Settings', 'settings'],
    ['Reports', 'reports'],
  ] as const) {
    await goes(name, `/company-dashboard/${path}`);
    const title = clara.page.getByRole('heading', { name: new RegExp(`${name}$`, 'i'), level: 1 });
    await expect(title).toBeVisible();
  }
  await goes('Overview', '/company-dashboard');
  await expect(clara.heading('Clients by ISO Partner')).toBeVisible();
});

/** Waits until every request that could show a foreign row has finished. */
async function waitForAll(main: Locator) {
  await expect(main.locator('[aria-busy="true"], .mantine-Skeleton-root')).toHaveCount(0);
}

test('companies are isolated from each other, and a super admin can open either', async ({ office }) => {
  const one = await createCompany(office, 'Meridian East', 'Una');
  const two = await createCompany(office, 'Meridian East', 'Dora');
  const pages = ['/company-dashboard', '/company-dashboard/spv', '/company-dashboard/clients'];
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    for (const path of [...pages, '/company-dashboard/employees']) {
      // Also with the id of the other company in the URL.
      await own.admin.open(`${path}?company=${other.company.id}`);
      const main = own.admin.page.getByRole('main');
      await expect(main).toContainText(path.endsWith('employees') ? own.email : own.client);
      await waitForAll(main);
      for (const word of [other.client, other.email, other.order]) await expect(main).not.toContainText(word);
      await expect(own.admin.page.getByRole('complementary', { name: 'Super admin view' })).toHaveCount(0);
    }
  }

  const sigrid = await office.superAdmin();
  const { page } = sigrid;
  await sigrid.open(`/company-dashboard?company=${one.company.id}`);
  const banner = page.getByRole('complementary', { name: 'Super admin view' });
  const side = page.getByRole('navigation', { name: 'Main navigation' });
  await expect(banner).toContainText(`Viewing this portal as ${one.company.name}.`);
  for (const name of ['SPV Portfolio', 'Clients', 'Employees', 'Settings', 'Overview']) {
    await sigrid.link(name, side).click();
    await expect(banner).toContainText(one.company.name);
  }
  await sigrid.link('SPV Portfolio', side).click();
  await expect(sigrid.row(one.client)).toContainText(one.order);
  await sigrid.pickFromSearch('Company', two.company.name, banner);
  await expect(sigrid.row(two.client)).toContainText(two.order);
  await expect(sigrid.row(one.client)).toHaveCount(0);

  // The export has the filters and sorting of the list.
  await sigrid.search('Search SPVs', 'nobody');
  await expect(page.getByText('No results for “nobody”')).toBeVisible();
  await sigrid.search('Search SPVs', two.order);
  const download = page.waitForEvent('download');
  await sigrid.button('Export CSV').click();
  const file = await (await download).createReadStream();
  let text = '';
  for await (const part of file) text += String(part);
  expect(text).toContain(two.order);
  expect(text).not.toContain(one.order);
});

test('ISO partners of one company are isolated from each other', async ({ office }) => {
  const company = await office.company(office.uniqueName('Meridian West'));
  const [one, two] = [await partner(office, company.id, 'Ivo'), await partner(office, company.id, 'Iva')];
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const main = own.iso.page.getByRole('main');
    for (const path of ['/iso-dashboard', '/iso-dashboard/clients', '/iso-dashboard/leads']) {
      await own.iso.open(path);
      await expect(main).toContainText(path.endsWith('leads') ? own.lead : own.client);
      await waitForAll(main);
      for (const word of [other.client, other.lead, other.order]) await expect(main).not.toContainText(word);
    }
    // Search returns own rows only.
    await own.iso.open(`/iso-dashboard/clients?q=Okoro`);
    await expect(own.iso.row(own.client)).toBeVisible();
    await expect(own.iso.row(other.client)).toHaveCount(0);
    await expect(own.iso.row(own.client).getByRole('progressbar')).toHaveCount(1);
    for (const path of [`clients/${other.clientId}`, `isos/${other.isoId}`, `spvs/${other.orderId}`])
      await expect(own.iso.api.get(`/rest/v1/${path}`), path).rejects.toMatchObject({ status: 404 });
  }
  // The country of the user differs from the company, which is shown.
  await one.iso.open('/iso-dashboard/profile');
  await one.iso.pickFromSearch('Time zone', 'Singapore');
  await one.iso.button('Save time zone').click();
  await one.iso.expectToast('Profile Updated');
  expect(await one.iso.api.get('/rest/v1/me')).toMatchObject({ time_zone: 'Asia/Singapore' });
});

test('company portal pages use the company time zone on every load', async ({ office }) => {
  const { company, admin: zara } = await createCompany(office, 'Kiritimati Trust', 'Zara');
  const { page } = zara;
  const settings = `/rest/v1/companies/${company.id}/settings`;
  const setZone = (time_zone: string) => zara.api.patch(settings, { time_zone });
  await setZone('Pacific/Kiritimati');
  const began = ((await zara.api.get<{ created_at: string }[]>('/auth/v1/sessions'))[0] ?? {}).created_at;
  const written = (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
      new Date(began ?? 0),
    );
  const sessions = zara.card('Sessions');
  const response = new RegExp(`/rest/v1/companies/${company.id}$`);
  for (const pause of [0, 400]) {
    // The company is loaded last, after other pages are drawn.
    await page.route(response, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await route.continue();
    });
    await zara.open('/company-dashboard/security');
    await expect(sessions).toContainText(written('Pacific/Kiritimati'));
    await page.reload();
    await expect(sessions).toContainText(written('Pacific/Kiritimati'));
    await page.unroute(response);
  }
  // Open pages are redrawn when the time zone changes.
  await setZone('Asia/Tokyo');
  await expect(sessions).toContainText(written('Asia/Tokyo'));
});
