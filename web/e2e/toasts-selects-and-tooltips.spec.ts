/** UI components: toasts, selects, tooltips, scroll position and layout stability. */
import type { Locator } from '@playwright/test';
import { paths } from '../src/paths';
import type { Person } from './support/users';
import { waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

test('outcome toasts replace each other and close after five seconds', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open(paths.login('client'));
  await pauseClock(visitor);
  const toasts = visitor.page.getByRole('region', { name: 'Notifications' }).getByRole('status');
  await visitor.button('Google').click();
  await expect(toasts).toHaveText(['Google sign-in coming soon!']);
  await visitor.page.clock.runFor(3000);
  await visitor.button('Microsoft').click();
  await visitor.page.clock.runFor(1000);
  await expect(toasts).toHaveText(['Microsoft sign-in coming soon!']);
  await visitor.page.clock.runFor(3500);
  await expect(toasts).toHaveCount(1);
  await visitor.page.clock.runFor(1000);
  await expect(toasts).toHaveCount(0);
});

test('table on a tablet keeps email addresses unbroken and shows a scroll shadow', async ({ office }) => {
  const who = office.newPerson('Bartholomew', 'Featherstonehaugh');
  await office.clientWithOrder(who);
  const sigrid = await office.superAdmin({ viewport: { width: 680, height: 900 } });
  await sigrid.open(`${paths.employeeTab('clients')}&q=${encodeURIComponent(who.email)}`);
  const email = sigrid.page.getByRole('cell', { name: who.email, exact: true }).getByText(who.email);
  await expect(email).toBeVisible();
  expect(await email.evaluate((cell) => cell.getBoundingClientRect().height)).toBeLessThan(24);
  expect(await overflowingElements(sigrid.page)).toEqual([]);
  const place = sigrid.page.getByRole('group', { name: 'Clients', exact: true });
  expect(await place.evaluate((table) => table.scrollWidth > table.clientWidth)).toBe(true);
  await expect(place).toHaveCSS('background-attachment', 'local, local, scroll, scroll');
});

test('error toast stays until closed and is focused by Alt+T', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open(paths.login('client'));
  await pauseClock(visitor);
  await visitor.button('Sign in').click();
  const region = visitor.page.getByRole('region', { name: 'Notifications' });
  await expect(region.getByRole('alert')).toContainText('Missing Information');
  await visitor.page.clock.runFor(600_000);
  await expect(region.getByRole('alert')).toBeVisible();
  // From inside a field too.
  await visitor.field('Email').focus();
  await visitor.page.keyboard.press('Alt+t');
  await expect(region).toBeFocused();
  await expect(visitor.field('Email')).toHaveValue('');
  await visitor.page.keyboard.press('Tab');
  await expect(visitor.button('Close', region)).toBeFocused();
  await visitor.page.keyboard.press('Enter');
  await visitor.page.clock.runFor(1000);
  await expect(region.getByRole('alert')).toHaveCount(0);
});

test('select has type-ahead that resets after a second', async ({ office }) => {
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.button('Quick Setup (Email)').click();
  await pauseClock(elias);
  const country = elias.button('Country', elias.dialog('Quick Setup (Email)'));
  await country.focus();
  await elias.page.keyboard.type('si');
  await expect(country).toHaveText('Singapore');
  await elias.page.clock.runFor(900);
  // Part of the same type-ahead string, which matches nothing.
  await elias.page.keyboard.type('t');
  await expect(country).toHaveText('Singapore');
  await elias.page.clock.runFor(1100);
  await elias.page.keyboard.type('t');
  await expect(country).toHaveText('Thailand');
  await elias.page.clock.runFor(1100);
  // Repeating a letter cycles through its options and wraps around.
  await elias.page.keyboard.type('u');
  await expect(country).toHaveText('United States');
  await elias.page.keyboard.type('u');
  await expect(country).toHaveText('UAE');
});

test('exact amount shows in a tooltip after 700 ms', async ({ office }) => {
  const sigrid = await office.superAdmin();
  await sigrid.open('/employee-dashboard');
  await waitForIdle(sigrid.page);
  await pauseClock(sigrid);
  await sigrid.card('Revenue').getByText(/^\$/).hover();
  await sigrid.page.clock.runFor(600);
  await expect(sigrid.page.getByRole('tooltip')).toHaveCount(0);
  await sigrid.page.clock.runFor(200);
  await expect(sigrid.page.getByRole('tooltip')).toHaveText(/^\$[\d,]+\.\d\d$/);
});

/** Pauses the clock; only the test advances it. */
async function pauseClock(person: Person): Promise<void> {
  await person.page.clock.install();
  const now = await person.page.evaluate(() => Date.now());
  // The clock runs until paused, so it is set later than the page time.
  await person.page.clock.pauseAt(now + 5000);
}

test('scroll position is restored on reload and reset on navigation', async ({ office }) => {
  const elias = await office.employee();
  const place = () => elias.page.evaluate(() => Math.round(scrollY));
  const rows = elias.page.getByRole('table').getByRole('row');
  await elias.open('/request-management');
  await expect(rows.nth(20)).toBeVisible();
  // The page cannot scroll further than its skeleton height.
  await elias.page.evaluate(() => scrollTo(0, 300));
  await elias.page.reload();
  await expect.poll(place).toBe(300);
  await elias.open('/employee-dashboard/commissions');
  await expect(rows.nth(20)).toBeVisible();
  // The reserved space is below content drawn first.
  await elias.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
  expect(await place()).toBe(0);
});

test('dashboard layout does not shift when figures load', async ({ office }) => {
  const staff = await office.api();
  const waiting = await staff.get<{ items: { id: string }[] }>('/rest/v1/requests?status=pending&limit=1');
  await staff.post(`/rest/v1/requests/${waiting.items[0]?.id}/review`);
  const elias = await office.employee();
  const queue = elias.heading('Priority queue');
  const [desk, counted] = await offsetAround(elias, '**/rest/v1/requests/summary', queue, async () => {
    await elias.open(paths.requestManagement);
    // The info tooltip does not change the height of cards.
    return elias.card('Pending').getByText('1 in review');
  });
  expect(counted).toBe(desk);

  const carla = await office.companyAdmin();
  const overview = carla.link('Overview');
  const [nameless, named] = await offsetAround(carla, '**/rest/v1/companies/*', overview, async () => {
    await carla.open(paths.companyDashboard);
    return carla.page.getByRole('navigation').getByText('Meridian Ventures', { exact: true });
  });
  expect(named).toBe(nameless);
});

/** Vertical position of an element before and after a delayed response that `opened` waits for. */
async function offsetAround(
  { page }: Person,
  response: string,
  thing: Locator,
  opened: () => Promise<Locator>,
): Promise<[number | undefined, number | undefined]> {
  const top = async () => (await thing.boundingBox())?.y;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(response, async (route) => {
    await held;
    await route.continue();
  });
  const news = await opened();
  await expect(thing).toBeVisible();
  await expect(news).toHaveCount(0);
  const before = await top();
  release();
  await expect(news).toBeVisible();
  return [before, await top()];
}

test('open row menu moves with its row when rows are added above', async ({ office }) => {
  const elias = await office.employee();
  await elias.open('/request-management');
  await elias.page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  const action = elias.page.getByRole('menuitem').first();
  await expect(action).toBeVisible();
  await elias.page.getByRole('main').evaluate((main) => (main.style.paddingTop = '3000px'));
  // The button moved with its row and is clickable.
  await action.click({ trial: true });
});

test('open select list moves with its field', async ({ office }) => {
  const elias = await office.employee();
  await elias.open(paths.employeeTemplates);
  await elias.field('Country').first().click();
  const choice = elias.page.getByRole('option', { name: 'Singapore', exact: true });
  await expect(choice).toBeVisible();
  await elias.page.getByRole('main').evaluate((main) => (main.style.paddingTop = '3000px'));
  await choice.click({ trial: true });
});

test('search select is busy until its options match the input', async ({ office }) => {
  const elias = await office.employee();
  let arrive = () => undefined as void;
  const way = new Promise<void>((resolve) => (arrive = resolve));
  await elias.page.route(/\/rest\/v1\/companies\?.*\bq=/, async (route) => {
    await way;
    return route.continue();
  });
  await elias.open(paths.employeeTab('clients'));
  await elias.button('Quick Setup (Email)').click();
  const field = elias.field('Company', elias.dialog('Quick Setup (Email)'));
  await expect(field).toHaveAttribute('aria-busy', 'false');
  await field.fill('Northstar');
  await expect(field).toHaveAttribute('aria-busy', 'true');
  arrive();
  await expect(elias.page.getByRole('option')).toHaveText(['Northstar Holdings']);
  await expect(field).toHaveAttribute('aria-busy', 'false');
});
