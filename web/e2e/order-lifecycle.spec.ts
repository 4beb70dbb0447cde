/** Order lifecycle: from Start Processing to the closed order, live on every open page. */
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';
import type { Person } from './support/users';
import { password } from './support/portal';

interface Order {
  id: string;
  identifier: string;
  version: number;
  client_email: string;
  steps: { id: string; step_name: string; step_order: number }[];
}

/** Earliest time at which the acting user sees the toast; nothing else is awaited until then. */
const TOAST_TIMEOUT = { timeout: 2000 };

test('order starts, closes with its last step, and the client sees both within 2 s @postgres @timed', async ({
  office,
}) => {
  const { order, client } = await pendingOrder(office, 'Maya', 'Ortiz');
  await expect(client.card('Pending')).toHaveText(/1$/);

  const elias = await office.employee();
  await elias.openOrder(order.id);
  await expect(elias.button('Start Processing')).toHaveCount(0);
  const sigrid = await office.superAdmin();
  await sigrid.openOrder(order.id);

  const card = client.page.getByRole('article', { name: order.identifier });
  const upload = client.link(`Upload Docs of ${order.identifier}`);
  await expect(upload).toBeVisible();
  await client.withoutReload(async () => {
    await sigrid.button('Start Processing').click();
    await sigrid.expectToast('SPV Status Updated', 'SPV status changed to Processing');
    await Promise.all([
      expect(card).toContainText('Processing', TOAST_TIMEOUT),
      expect(client.card('Processing')).toHaveText(/1$/, TOAST_TIMEOUT),
      expect(client.card('Pending')).toHaveText(/0$/, TOAST_TIMEOUT),
    ]);
    await expect(sigrid.button('Start Processing')).toBeDisabled();

    // spvctl completes all steps but the last two, each in its own process.
    const names = order.steps.map((step) => step.step_name);
    const [lastButOne, last] = names.slice(-2) as [string, string];
    for (const step of order.steps.slice(0, -2)) {
      const place = String(step.step_order);
      await office.portal.operator('step', 'set', order.identifier, place, '--status', 'completed');
    }
    const done = Math.round((100 * (names.length - 2)) / names.length);
    const progress = client.page.getByRole('progressbar', { name: `Progress of ${order.identifier}` });
    await expect(progress).toHaveAttribute('aria-valuenow', String(done));

    await elias.setStepStatus(lastButOne, 'Completed');
    await elias.expectToast('Step Updated', lastButOne);
    await elias.setStepStatus(last, 'Completed');
    await elias.expectToast('Step Updated', 'SPV status changed to Closed');
    await Promise.all([
      expect(card).toContainText('Closed', TOAST_TIMEOUT),
      expect(client.card('Completed')).toHaveText(/1$/, TOAST_TIMEOUT),
      expect(upload).toHaveCount(0, TOAST_TIMEOUT),
      expect(progress).toHaveAttribute('aria-valuenow', '100', TOAST_TIMEOUT),
      expect(client.page.getByText(`Order ${order.identifier} is completed`)).toBeVisible(TOAST_TIMEOUT),
    ]);
  });

  const mail = await office.portal.post.waitForMail(order.client_email, 'is completed');
  expect(mail.text).toContain(order.identifier);
  expect(mail.link(`/client-dashboard/orders/${order.id}`)).toContain(office.portal.url);
});

test('concurrent completion of the last two steps closes the order once @postgres', async ({ office }) => {
  const { order } = await pendingOrder(office, 'Theo', 'Lang');
  const [lastButOne, last] = order.steps.slice(-2).map((step) => step.step_name) as [string, string];
  for (const step of order.steps.slice(0, -2)) {
    await (await office.api()).patch(`/rest/v1/steps/${step.id}`, { status: 'completed' });
  }
  const elias = await office.employee();
  const sigrid = await office.superAdmin();
  for (const [staff, step] of [
    [elias, lastButOne],
    [sigrid, last],
  ] as const) {
    await staff.openOrder(order.id);
    await staff.button(`Edit ${step}`).click();
    await staff.choose('Status', 'Completed', staff.dialog('Edit SPV Step'));
  }
  await Promise.all([elias, sigrid].map((staff) => staff.button('Save').click()));
  await Promise.all([elias, sigrid].map((staff) => staff.expectToast('Step Updated')));
  for (const staff of [elias, sigrid]) await expect(staff.order(order.identifier)).toContainText('Closed');

  await office.portal.post.waitForMail(order.client_email, 'is completed');
  const { items } = await (
    await office.api()
  ).get<{ items: { action: string }[] }>(`/rest/v1/activity?spv_id=${order.id}`);
  expect(items.filter((event) => event.action === 'spv.closed')).toHaveLength(1);
  const mails = await office.portal.post.mails();
  expect(
    mails.filter((mail) => mail.to.includes(order.client_email) && mail.subject.includes('is completed')),
  ).toHaveLength(1);
});

test('change by another process reaches every open page within 2 s @postgres @timed', async ({ office }) => {
  const { order, client } = await pendingOrder(office, 'Rosa', 'Lima');
  const operator = (...args: string[]) => office.portal.operator(...args);
  const elias = await office.employee();
  await elias.openOrder(order.id);
  await client.link(`View Details of ${order.identifier}`).click();
  await expect(client.heading('Overview')).toBeVisible();
  // One event stream serves all tabs of a browser.
  const secondTab = await client.page.context().newPage();
  await secondTab.goto(client.page.url());
  await expect(secondTab.getByRole('heading', { name: 'Overview' })).toBeVisible();
  const step = order.steps[0]?.step_name ?? '';

  await client.withoutReload(() =>
    elias.withoutReload(async () => {
      await operator(
        ...['step', 'set', order.identifier, '1', '--status', 'blocked'],
        ...['--blocked-reason', 'A signature is missing', '--waiting-on', 'client'],
      );
      await Promise.all([
        expect(client.page.getByText('A signature is missing').first()).toBeVisible(TOAST_TIMEOUT),
        expect(secondTab.getByText('A signature is missing').first()).toBeVisible(TOAST_TIMEOUT),
        expect(elias.step(step)).toContainText('A signature is missing', TOAST_TIMEOUT),
      ]);

      await operator('spv', 'hold', order.identifier, '--reason', 'The registry is closed');
      await Promise.all([
        expect(client.page.getByText('Reason: The registry is closed')).toBeVisible(TOAST_TIMEOUT),
        expect(elias.order(order.identifier)).toContainText('On hold', TOAST_TIMEOUT),
        expect(elias.page.getByText('Reason: The registry is closed')).toBeVisible(TOAST_TIMEOUT),
      ]);

      await operator('spv', 'resume', order.identifier);
      await Promise.all([
        expect(client.page.getByText('Reason: The registry is closed')).toBeHidden(TOAST_TIMEOUT),
        expect(elias.order(order.identifier)).toContainText('Pending', TOAST_TIMEOUT),
      ]);
    }),
  );
});

test('stale write shows who changed it and continues from that version @postgres', async ({ office }) => {
  const { order } = await pendingOrder(office, 'Ugo', 'Neri');
  const step = order.steps[0]?.step_name ?? '';
  const elias = await office.employee();
  await elias.openOrder(order.id);
  await elias.button(`Edit ${step}`).click();
  const dialog = elias.dialog('Edit SPV Step');
  await elias.fillFields({ Notes: 'Elias was here' }, dialog);

  const sigrid = await office.superAdmin();
  await sigrid.openOrder(order.id);
  await sigrid.setStepStatus(step, 'In progress', { Notes: 'Sigrid was here' });
  await sigrid.expectToast('Step Updated');

  await elias.button('Save', dialog).click();
  const stale = /^Sigrid Aalto changed this on .+ Reload to see the latest version\.$/;
  await elias.expectErrorToast('Error', stale);
  await expect(dialog.getByRole('alert')).toContainText('Sigrid Aalto changed this on');
  await expect(elias.field('Notes', dialog)).toHaveValue('Elias was here');
  await elias.button('Reload', dialog).click();
  await expect(elias.field('Notes', dialog)).toHaveValue('Sigrid was here');
  await elias.fillFields({ Notes: 'Sigrid was here, and so was Elias' }, dialog);
  await elias.button('Save', dialog).click();
  await elias.expectToast('Step Updated');
  await expect(sigrid.step(step)).toContainText('Sigrid was here, and so was Elias');
  await expect(sigrid.step(step)).toContainText('In progress');
});

/** A pending order and its client on the dashboard. */
async function pendingOrder(
  office: TestServer,
  first: string,
  last: string,
): Promise<{ order: Order; client: Person }> {
  const who = office.newPerson(first, last);
  const company = await office.company();
  // Creates the account alone, so the pending order is its only one.
  await office.portal.operator(
    ...['user', 'create', '--role', 'client', '--first-name', first, '--last-name', last],
    ...['--email', who.email, '--company', company.name],
  );
  await office.setPassword(who.email);
  const identifier = office.uniqueName('Vehicle');
  const made = await office.portal.operator<{ id: string }>(
    ...['spv', 'create', '--client', who.email, '--purchase-amount', '250000'],
    ...['--custom-identifier', identifier],
  );
  const order = await (await office.api()).get<Order>(`/rest/v1/spvs/${made.id}`);
  const client = await office.visitor();
  await client.signIn('client', who.email, password);
  await expect(client.page.getByRole('article', { name: identifier })).toBeVisible();
  return { order, client };
}
