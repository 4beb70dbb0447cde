/** Demo data seeding: one idempotent job behind the button and the command. */
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';

test('seed button and seed command create the same demo data once @postgres', async ({
  ownOffice: office,
}) => {
  const before = await counts(office);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.withoutReload(async () => {
    await elias.button('Seed Test Data').click();
    await elias.expectToast('Test Data Created', 'The test ISO, client, company and SPV are ready.');
    await expect(elias.row('test.client@example.com', 'Clients')).toContainText('Test Company');
  });
  const after = await counts(office);
  expect(after).toEqual({
    clients: before.clients + 1,
    companies: before.companies + 1,
    isos: before.isos + 1,
    spvs: before.spvs + 1,
  });

  await elias.button('Seed Test Data').click();
  await elias.expectToast('Test Data Created', 'The test ISO, client, company and SPV are ready.');
  expect(await counts(office)).toEqual(after);

  // The outcome shows on any page.
  const news = /\/(realtime\/v1\/events|rest\/v1\/activity)/;
  await elias.page.route(news, (route) =>
    route.request().url().includes('/realtime/')
      ? route.fulfill({ contentType: 'text/event-stream', body: '' })
      : route.fulfill({ json: { items: [], next_cursor: null } }),
  );
  await elias.open('/employee-dashboard');
  const queued = elias.page.waitForResponse('**/rest/v1/jobs');
  await elias.button('Seed Test Data').click();
  const { id: job } = (await (await queued).json()) as { id: string };
  const api = await office.api();
  const outcomes = async () => {
    const { items } = await api.get<{ items: { action: string; data: { job_id?: string } }[] }>(
      '/rest/v1/activity?limit=20',
    );
    return items.filter((activity) => activity.data.job_id === job).map((activity) => activity.action);
  };
  await expect.poll(outcomes).toEqual(['seed.finished']);
  await elias.page.unroute(news);
  await elias.open('/employee-dashboard/tasks');
  await elias.expectToast('Test Data Created', 'The test ISO, client, company and SPV are ready.');
  await elias.open('/employee-dashboard');
  await expect(elias.button('Seed Test Data')).toBeEnabled();

  const said = await office.portal.spvctl('seed');
  expect(said.words).toContain('Test Data Created');
  expect(said.code).toBe(0);
  expect(await counts(office)).toEqual(after);
  // Seeded users get no mail.
  const mails = await office.portal.post.mails();
  expect(mails.filter((mail) => mail.to.some((to) => to.startsWith('test.')))).toEqual([]);
});

test('seed command creates demo data, and an open page shows it', async ({ ownOffice: office }) => {
  const before = await counts(office);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  const clients = elias.page.getByRole('table', { name: 'Clients', exact: true });
  await expect(clients.getByRole('row').nth(1)).toBeVisible();
  await elias.withoutReload(async () => {
    const said = await office.portal.spvctl('seed');
    expect(said.code).toBe(0);
    await expect(elias.row('test.client@example.com', 'Clients')).toBeVisible();
  });
  expect((await counts(office)).spvs).toBe(before.spvs + 1);
});

test('failed seed job is reported by the button and by the command', async ({ ownOffice: office }) => {
  // The test partner email belongs to a user of another role.
  await office.portal.operator(
    ...['user', 'create', '--role', 'employee', '--email', 'test.iso@example.com'],
    ...['--first-name', 'Not', '--last-name', 'Partner'],
  );
  const before = await counts(office);
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.button('Seed Test Data').click();
  await elias.expectErrorToast('Error Creating Test Data', 'The job failed. Please try again.');
  await expect(elias.button('Seed Test Data')).toBeEnabled();
  expect(await counts(office)).toMatchObject({
    clients: before.clients,
    isos: before.isos,
    spvs: before.spvs,
  });

  const said = await office.portal.spvctl('seed');
  expect(said.words).toContain('Error Creating Test Data');
  expect(said.code).toBe(1);
});

async function counts(office: TestServer) {
  const api = await office.api();
  const number = async (noun: string) =>
    (await api.get<{ items: unknown[] }>(`/rest/v1/${noun}?limit=500`)).items.length;
  return {
    clients: await number('clients'),
    companies: await number('companies'),
    isos: await number('isos'),
    spvs: await number('spvs'),
  };
}
