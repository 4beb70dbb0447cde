/** Live updates: one event stream per browser, and polling without a stream. */
import type { Locator, Page } from '@playwright/test';
import { paths } from '../src/paths';
import type { TestServer } from './support/server';
import { expect, test } from './support/fixtures';

const stream = '/realtime/v1/events';
const emptyText = 'Ask us anything. Our team replies here.';

/** A client with an order, and staff exchanging messages about it. */
async function clientWithOrder(office: TestServer, first: string, last: string) {
  const who = office.newPerson(first, last);
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  return {
    client: await office.person(who.email),
    path: paths.clientOrder(spv.id),
    staffWrite: (body: string) => staff.post('/rest/v1/messages', { spv_id: spv.id, body }),
  };
}

function message(tab: Page, words: string): Locator {
  return tab.getByRole('log', { name: 'Messages' }).getByText(words);
}

test('one event stream serves all tabs, and another tab takes over when its tab closes @postgres', async ({
  office,
}) => {
  const { client, path, staffWrite } = await clientWithOrder(office, 'Tabea', 'Lind');
  const asked: string[] = [];
  const counts = (tab: Page, name: string) =>
    tab.on('request', (request) => {
      if (new URL(request.url()).pathname === stream) asked.push(name);
    });
  counts(client.page, 'first');
  await client.open(path);
  await expect(client.page.getByText(emptyText)).toBeVisible();
  await expect.poll(() => asked).toEqual(['first']);
  const other = await client.page.context().newPage();
  counts(other, 'other');
  await other.goto(path);
  await expect(other.getByText(emptyText)).toBeVisible();

  await staffWrite('Your file is complete.');
  for (const tab of [client.page, other])
    await expect(message(tab, 'Your file is complete.')).toBeVisible({ timeout: 15_000 });
  expect(asked).toEqual(['first']);

  await client.page.close();
  await expect.poll(() => asked).toEqual(['first', 'other']);
  await staffWrite('We file on Monday.');
  await expect(message(other, 'We file on Monday.')).toBeVisible({ timeout: 15_000 });
  expect(asked).toEqual(['first', 'other']);
});

test('page falls back to polling without an event stream', async ({ office }) => {
  // Reconnects back off up to 30 seconds.
  test.setTimeout(90_000);
  const { client, path, staffWrite } = await clientWithOrder(office, 'Polly', 'Hartmann');
  client.allowError(/ERR_CONNECTION_REFUSED/);
  let refused = 0;
  await client.page.route(`**${stream}`, (route) => {
    refused += 1;
    return route.abort('connectionrefused');
  });
  await client.open(path);
  await expect(client.page.getByText(emptyText)).toBeVisible();
  await expect.poll(() => refused).toBeGreaterThan(0);
  await client.withoutReload(async () => {
    await staffWrite('Your file is complete.');
    await expect(message(client.page, 'Your file is complete.')).toBeVisible({ timeout: 40_000 });
  });
  // /healthz still responds.
  await expect(client.page.getByText("You're offline.")).toHaveCount(0);
});

test('support contact on the dashboard follows settings that send no event', async ({ office }) => {
  const { client } = await clientWithOrder(office, 'Nell', 'Frost');
  await client.page.clock.install();
  await client.open(paths.clientDashboard);
  const help = client.card('Need Help?');
  await expect(help.getByRole('link', { name: 'employee@example.com' })).toBeVisible();
  // Simulates a settings change, because other tests share the settings.
  await client.page.route('**/rest/v1/settings', async (route) => {
    const response = await route.fetch();
    const settings = (await response.json()) as object;
    const representative = { name: 'Ruth Okoye', email: 'ruth@example.com', phone: null };
    await route.fulfill({ response, json: { ...settings, representative } });
  });
  await client.page.clock.runFor(61_000);
  await expect(help).toContainText('Ruth Okoye');
});
