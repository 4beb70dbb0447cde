/** Tenant isolation: companies and ISO partners see only their own rows, and settings that affect other pages. */
import { readFile } from 'node:fs/promises';
import { paths } from '../src/paths';
import type { TestServer } from './support/server';
import type { Person } from './support/users';
import { password } from './support/portal';
import { axeViolations, waitForIdle } from './support/pageChecks';
import { expect, test, withServer } from './support/fixtures';

interface Company {
  id: string;
  name: string;
}
interface Terms {
  country: string;
  price: string;
  commission: string;
}

/** Amounts and countries unique to this test. */
const terms = {
  one: { country: 'SG', price: '41730.19', commission: '1417.23' },
  two: { country: 'AE', price: '52840.28', commission: '2528.34' },
};
const countries: Record<string, string> = { SG: 'Singapore', AE: 'UAE' };
const dollars = (amount: string) =>
  Number(amount).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** An admin of the company who signs in. */
async function admin(office: TestServer, company: Company, first: string) {
  const { name, email, last } = office.newPerson(first, 'Keeper');
  const api = await office.api();
  await api.post(`/rest/v1/companies/${company.id}/members`, { first_name: first, last_name: last, email });
  await office.setPassword(email);
  return { name, person: await office.person(email) };
}

/** An ISO partner of the company who signs in. */
async function partner(office: TestServer, company: Company, first: string) {
  const { name, email, last } = office.newPerson(first, 'Bringer');
  const api = await office.api();
  const person = { first_name: first, last_name: last, email, company_id: company.id };
  const { id } = await api.post<{ id: string }>('/rest/v1/isos', person);
  await office.setPassword(email);
  return { id, name, person: await office.person(email) };
}

/** A client of the partner with a closed order, so the commission is earned. */
async function clientWithClosedOrder(
  office: TestServer,
  company: Company,
  isoId: string,
  first: string,
  what: Terms,
) {
  const who = office.newPerson(first, 'Lindqvist');
  const api = await office.api();
  const { spv } = await api.post<{ spv: { id: string; identifier: string } }>('/rest/v1/clients', {
    setup: 'quick',
    first_name: who.first,
    last_name: who.last,
    email: who.email,
    company_id: company.id,
    iso_id: isoId,
    currency: 'USD',
    ...what,
  });
  const { steps } = await api.get<{ steps: { id: string }[] }>(`/rest/v1/spvs/${spv.id}`);
  await api.post(`/rest/v1/spvs/${spv.id}/steps/complete`, { ids: steps.map((step) => step.id) });
  return {
    client: who.name,
    order: spv.identifier,
    price: dollars(what.price),
    commission: dollars(what.commission),
    country: countries[what.country] ?? '',
  };
}

async function companyWithFigures(office: TestServer, name: string, first: string, what: Terms) {
  const company = await office.company(office.uniqueName(name));
  const iso = await partner(office, company, `Iso${first}`);
  const order = await clientWithClosedOrder(office, company, iso.id, `Buyer${first}`, what);
  return { company, iso: iso.name, ...order, admin: await admin(office, company, first) };
}

test('company figures are isolated between companies', async ({ office }) => {
  test.slow();
  const one = await companyWithFigures(office, 'Alder Capital', 'Maud', terms.one);
  const two = await companyWithFigures(office, 'Birch Capital', 'Nell', terms.two);
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const { person } = own.admin;
    const main = person.page.getByRole('main');
    const pages = {
      finances: [own.price, own.commission, own.iso, own.country],
      analytics: [own.country],
      'reports?report=portfolio': [own.order, own.client, own.iso, own.price],
      'reports?report=commissions': [own.order, own.client, own.iso, own.commission],
      'reports?report=step_times': [own.order, own.client],
    };
    const theirs = [other.company.name, other.admin.name, other.iso, other.client, other.order];
    for (const [page, words] of Object.entries(pages)) {
      await test.step(page, async () => {
        // Also with the id of the other company in the URL.
        const more = new URLSearchParams({ period: 'all_time', company: other.company.id });
        await person.open(`/company-dashboard/${page}${page.includes('?') ? '&' : '?'}${more}`);
        for (const word of words) await expect(main).toContainText(word);
        await waitForIdle(person.page);
        for (const word of [...theirs, other.price, other.commission, other.country])
          await expect(main).not.toContainText(word);
        if (page === 'analytics')
          await expect(person.card('Placed').getByText('1', { exact: true })).toBeVisible();
      });
    }
    await person.button('Schedule report').click();
    const dialog = person.dialog('Schedule report');
    await expect(dialog).toContainText(own.admin.name);
    await expect(dialog).not.toContainText(other.admin.name);
    for (const path of ['finances?', 'analytics?', 'reports?report=portfolio&', 'report-schedules?'])
      await expect(
        person.api.get(`/rest/v1/${path}company_id=${other.company.id}`),
        path,
      ).rejects.toMatchObject({ status: 404 });
  }
});

/** A future time distinct from all others. */
const daysFromNow = (days: number, time: string) =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}Z`;

test('commissions and requests are isolated between ISO partners', async ({ office }) => {
  const company = await office.company(office.uniqueName('Cedar Capital'));
  const earning = async (first: string, subject: string, what: Terms) => {
    const iso = await partner(office, company, first);
    const order = await clientWithClosedOrder(office, company, iso.id, `Buyer${first}`, what);
    const topic = office.uniqueName(subject);
    const call = { topic, times: [daysFromNow(4, '15:07:00')] };
    const { id: callId } = await iso.person.api.post<{ id: string }>('/rest/v1/calls', call);
    return { ...iso, ...order, topic, callId };
  };
  const one = await earning('Orla', 'Terms for an orchard', terms.one);
  const two = await earning('Pell', 'Terms for a quarry', terms.two);
  for (const [own, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const { person } = own;
    const main = person.page.getByRole('main');
    const pages = {
      commissions: [own.order, own.client, own.commission],
      'commissions/statement?from=2000-01-01&to=2100-12-31': [own.name, own.order, own.commission],
      calls: [own.topic],
    };
    for (const [page, words] of Object.entries(pages)) {
      await person.open(`/iso-dashboard/${page}`);
      for (const word of words) await expect(main).toContainText(word);
      await waitForIdle(person.page);
      for (const word of [other.name, other.order, other.client, other.commission, other.topic])
        await expect(main).not.toContainText(word);
    }
    for (const path of [`commissions/statement?iso_id=${other.id}`, `calls/${other.callId}`])
      await expect(person.api.get(`/rest/v1/${path}`), path).rejects.toMatchObject({ status: 404 });
  }
});

test('both calendar files of a call have the same time', async ({ office }) => {
  const iva = await partner(office, await office.company(office.uniqueName('Dogwood Capital')), 'Iva');
  const topic = office.uniqueName('A call in two calendars');
  const begins = daysFromNow(5, '16:23:00');
  await iva.person.api.post('/rest/v1/calls', { topic, times: [begins] });
  const elias = await office.employee();
  await elias.open('/employee-dashboard/calls?status=requested');
  await elias.chooseRowAction('Confirm', topic);
  await elias.button('Confirm', elias.dialog(`Confirm the call with ${iva.name}`)).click();
  await elias.expectToast('Call confirmed');

  await elias.open('/employee-dashboard/calls?status=confirmed');
  const staffs = await calendar(elias, topic);
  await iva.person.open('/iso-dashboard/calls');
  expect(await calendar(iva.person, topic)).toEqual(staffs);
  expect(staffs).toContain(`DTSTART:${begins.replaceAll(/[-:]/g, '')}`);
  expect(staffs).toHaveLength(3);
});

/** Identity, start and end of a call, equal in both calendar files. */
async function calendar(person: Person, topic: string): Promise<string[]> {
  const [file] = await Promise.all([
    person.page.waitForEvent('download'),
    person.chooseRowAction('Add to calendar', topic),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
  return lines.filter((line) => /^(UID|DTSTART|DTEND)\b/.test(line)).toSorted();
}

test('company time zone applies to its overview too', async ({ office }) => {
  // No other zone in this test has this local time.
  const zone = 'Pacific/Kiritimati';
  const company = await office.company(office.uniqueName('Elder Capital'));
  const { name, person: zoe } = await admin(office, company, 'Zoe');
  await zoe.open('/company-dashboard/settings');
  const regional = zoe.page.getByRole('form', { name: 'Regional Settings' });
  await zoe.pickFromSearch('Time zone', 'Kiritimati', regional);
  await zoe.button('Save Changes', regional).click();
  await zoe.expectToast('Settings Saved');

  await zoe.open('/company-dashboard');
  const time = zoe.page
    .getByRole('region', { name: 'Recent Activities' })
    .getByRole('listitem')
    .filter({ hasText: `${name} changed the settings of ${company.name}` })
    .getByRole('time');
  const at = (await time.getAttribute('datetime')) ?? '';
  // Formatted in the browser, because its Intl may differ from Node.
  const there = await zoe.page.evaluate(
    ([instant, timeZone]) =>
      new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
        new Date(instant),
      ),
    [at, zone] as const,
  );
  await time.hover();
  await expect(zoe.page.getByRole('tooltip')).toHaveText(there);
});

test('short URLs open the own portal', async ({ office }) => {
  const clara = await office.companyAdmin();
  for (const title of ['Analytics', 'Finances', 'Reports', 'Employees', 'Clients']) {
    await clara.open(`/${title.toLowerCase()}`);
    await clara.expectPath(`/company-dashboard/${title.toLowerCase()}`);
    await expect(clara.page.getByRole('heading', { name: title, exact: true, level: 1 })).toBeVisible();
  }
  // The client count has an info tooltip.
  await expect(clara.button('About Clients')).toHaveAccessibleDescription(/^Clients with at least one/);
  const ingrid = await office.iso();
  await ingrid.open('/clients');
  await ingrid.expectPath('/iso-dashboard/clients');
  const sigrid = await office.superAdmin();
  await sigrid.open('/analytics');
  await sigrid.expectPath('/admin-dashboard/analytics');
});

/** Holds responses from these URLs until released. */
async function holdResponses({ page }: Person, url: RegExp): Promise<() => void> {
  let arrive = () => undefined as void;
  const way = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(url, async (route) => {
    await way;
    return route.continue();
  });
  return arrive;
}

test('loading tables are accessible on desktop and phone', async ({ office }) => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const ingrid = await office.iso({ viewport });
    const arrive = await holdResponses(ingrid, /\/rest\/v1\/commissions(\?|$)/);
    await ingrid.open('/iso-dashboard/commissions');
    const ledger = ingrid.page.getByRole('table', { name: 'Ledger', exact: true });
    await expect(ledger).toHaveAttribute('aria-busy', 'true');
    // The header and eight skeleton rows, hidden from screen readers.
    const rows = ledger.getByRole('row', { includeHidden: true });
    await expect(rows).toHaveCount(9);
    await expect(rows.last()).toBeVisible();
    await expect(ledger.getByRole('cell')).toHaveCount(0);
    expect(await axeViolations(ingrid.page)).toEqual([]);
    arrive();
    await expect(ledger.getByRole('cell').first()).toBeVisible();
    await expect(ledger).toHaveAttribute('aria-busy', 'false');
  }
});

test('loading notes and statements reserve their space', async ({ office }) => {
  const ingrid = await office.iso();
  const places = ingrid.page.getByRole('main').locator('.mantine-Skeleton-root');
  const { items } = await ingrid.api.get<{ items: { id: string }[] }>('/rest/v1/clients?limit=1');
  const notes = await holdResponses(ingrid, /\/rest\/v1\/clients\/[^/]+\/notes(\?|$)/);
  await ingrid.open(`/iso-dashboard/clients/${items[0]?.id}`);
  await expect(ingrid.card('Private notes').locator('.mantine-Skeleton-root')).toBeVisible();
  notes();
  await expect(places).toHaveCount(0);
  const statement = await holdResponses(ingrid, /\/rest\/v1\/commissions\/statement(\?|$)/);
  await ingrid.open('/iso-dashboard/commissions/statement');
  await expect(places).toBeVisible();
  statement();
  await expect(ingrid.page.getByRole('article', { name: 'Commission statement' })).toBeVisible();
  await expect(places).toHaveCount(0);
});

test('email change is confirmed at the new address alone when configured', async ({ browser }) => {
  const env = { SPV_AUTH_SECURE_EMAIL_CHANGE: 'false' };
  await withServer(browser, { demo: true, env }, async (office) => {
    const who = office.newPerson('Solo', 'Post');
    await office.clientWithOrder(who);
    await office.setPassword(who.email);
    const next = office.newPerson('Solo', 'House').email;
    const owner = await office.visitor();
    await owner.signIn('client', who.email, password);
    await owner.expectPath(paths.clientDashboard);
    await owner.open(paths.clientProfileTab('security'));
    const section = owner.card('Email address');
    await owner.button('Change email address', section).click();
    const dialog = owner.dialog('Change email address');
    await expect(dialog).toContainText('once you confirm it there');
    await owner.fillFields({ 'New email address': next }, dialog);
    await owner.button('Send email', dialog).click();
    await owner.expectToast('Check the new inbox');
    await expect(section).toContainText(`Open the link in the email to ${next} to complete the change.`);
    const mail = await office.portal.post.waitForMail(next, 'Confirm your new email address');
    const solo = await office.visitor();
    await solo.open(mail.link('/auth/confirm'));
    await expect(solo.page.getByText("You'll sign in with this address from then on.")).toBeVisible();
    await solo.button('Confirm').click();
    await expect(solo.heading('Email address changed')).toBeVisible();
    await solo.signIn('client', next, password);
    await expect(solo.heading('Welcome, Solo')).toBeVisible();
    const asked = (await office.portal.post.mails()).filter(({ subject }) =>
      subject.includes('Confirm your email address change'),
    );
    expect(asked).toEqual([]);
  });
});
