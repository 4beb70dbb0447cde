/** Order page of a client: due dates, people and history. */
import type { Locator } from '@playwright/test';
import { paths } from '../src/paths';
import { tones } from '../src/theme';
import { expect, test } from './support/fixtures';

interface Step {
  id: string;
  step_name: string;
}
interface Order {
  steps: Step[];
}
interface Settings {
  representative: { name: string; email: string };
}
interface Log {
  items: { action: string }[];
}

/** A theme color as `rgb()`. */
function rgb(hex: string): string {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
}

test('due dates are amber when near, red when past, and neutral otherwise', async ({ office }) => {
  const who = office.newPerson('Astrid', 'Holm');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [late, near, far] = steps as [Step, Step, Step];
  // Daylight saving may shift it by a day.
  const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await staff.patch(`/rest/v1/steps/${late.id}`, { owner: 'client', due_date: '2020-01-15' });
  await staff.patch(`/rest/v1/steps/${near.id}`, { owner: 'staff', due_date: soon });
  await staff.patch(`/rest/v1/steps/${far.id}`, { owner: 'authority', due_date: '2031-02-03' });
  const deed = { name: 'Deed of trust', due_date: '2031-02-04' };
  await staff.post(`/rest/v1/spvs/${spv.id}/document-requests`, deed);

  const astrid = await office.person(who.email);
  await astrid.open(paths.clientOrder(spv.id));
  const row = ({ step_name }: Step) =>
    astrid.page
      .getByRole('list', { name: 'Our progress', exact: true })
      .getByRole('listitem')
      .filter({ has: astrid.page.getByText(step_name, { exact: true }) });
  const tag = (step: Locator, words: RegExp) =>
    step.locator('.mantine-Badge-root').filter({ hasText: words });

  // One sequence; the client's own steps are marked.
  await expect(row(late)).toContainText('Due Jan 15, 2020');
  await expect(tag(row(late), /^You$/)).toBeVisible();
  await expect(tag(row(near), /^You$/)).toHaveCount(0);
  const overdue = tag(row(late), /^Overdue by \d+ days$/);
  await expect(overdue).toBeVisible();
  await expect(overdue).toHaveCSS('background-color', rgb(tones.stop.bg[0]));
  const dueSoon = tag(row(near), /^Due (tomorrow|in [23] days)$/);
  await expect(dueSoon).toBeVisible();
  await expect(dueSoon).toHaveCSS('background-color', rgb(tones.wait.bg[0]));
  await expect(row(far)).toContainText('Due Feb 3, 2031');
  await expect(tag(row(far), /^(Due|Overdue) /)).toHaveCount(0);
  const asked = astrid.page.getByRole('list', { name: 'Requested documents' }).locator('> li');
  await expect(asked).toContainText('Due Feb 4, 2031');
  await expect(tag(asked, /^(Due|Overdue) /)).toHaveCount(0);
  // What waits for the client is among the tasks, not said again above them.
  await expect(astrid.card('Overview')).not.toContainText('Deed of trust');
});

test('empty task list appears only after the document requests are loaded', async ({ office }) => {
  const who = office.newPerson('Runa', 'Dahl');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  for (const { id } of steps) await staff.patch(`/rest/v1/steps/${id}`, { owner: 'staff' });

  const runa = await office.person(who.email);
  const elias = await office.employee();
  const address = '**/rest/v1/spvs/*/document-requests';
  for (const { page } of [runa, elias]) await page.route(address, (route) => route.fulfill({ status: 404 }));
  await runa.open(paths.clientOrder(spv.id));
  const tasks = runa.card('Your tasks');
  const done = tasks.getByText("You're all caught up");
  await expect(tasks.getByRole('alert')).toContainText("Couldn't load this");
  await expect(done).toHaveCount(0);
  await runa.page.unroute(address);
  await runa.button('Try again', tasks).click();
  await expect(done).toBeVisible();

  await elias.open(paths.employeeOrderTab(spv.id, 'documents'));
  const asked = elias.card('Requested documents');
  await expect(asked.getByRole('alert')).toContainText("Couldn't load this");
  await elias.page.unroute(address);
  await elias.button('Try again', asked).click();
  await expect(asked).toContainText('No documents requested');
});

test('blocked step is a task with its reason, beside its document request and when requests fail to load', async ({
  office,
}) => {
  const who = office.newPerson('Sanna', 'Ekman');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const step = steps[0] ?? { id: '', step_name: '' };
  const reason = 'The passport has expired.';
  await staff.patch(`/rest/v1/steps/${step.id}`, {
    status: 'blocked',
    blocked_reason: reason,
    waiting_on: 'client',
  });
  await staff.post(`/rest/v1/spvs/${spv.id}/document-requests`, { name: 'New passport', step_id: step.id });

  const sanna = await office.person(who.email);
  const tasks = sanna.card('Your tasks');
  const expectReason = async () => {
    await expect(tasks).toContainText(`Answer: ${step.step_name}`);
    await expect(tasks).toContainText(reason);
    await expect(sanna.page.getByText(reason)).toHaveCount(1);
  };
  await sanna.open(paths.clientOrder(spv.id));
  await expect(tasks.getByRole('list', { name: 'Requested documents' })).toContainText('New passport');
  await expectReason();
  await sanna.page.route('**/rest/v1/spvs/*/document-requests', (route) => route.fulfill({ status: 404 }));
  await sanna.page.reload();
  await expect(tasks.getByRole('alert')).toContainText("Couldn't load this");
  await expectReason();
});

test('confirming a second step replaces the prefilled message, and adds to text of the client', async ({
  office,
}) => {
  const who = office.newPerson('Tyra', 'Holt');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [first, second] = steps as [Step, Step];
  for (const { id } of [first, second])
    await staff.patch(`/rest/v1/steps/${id}`, { owner: 'client', status: 'in_progress' });

  const tyra = await office.person(who.email);
  await tyra.open(paths.clientOrder(spv.id));
  const message = tyra.page.getByRole('textbox', { name: 'Write a message' });
  const done = ({ step_name }: Step) => `“${step_name}” is done.`;
  await tyra.link(`Confirm ${first.step_name}`).click();
  await expect(message).toHaveValue(done(first));
  await tyra.link(`Confirm ${second.step_name}`).click();
  await expect(message).toHaveValue(done(second));
  await expect(message).toBeFocused();
  // Not kept as a draft.
  await tyra.page.reload();
  await expect(message).toHaveValue('');
  await message.fill('Thank you.');
  await tyra.link(`Confirm ${first.step_name}`).click();
  await expect(message).toHaveValue(`Thank you.\n${done(first)}`);
  await tyra.page.reload();
  await expect(message).toHaveValue(`Thank you.\n${done(first)}`);
});

test('order page loads with its document requests, and without them when they fail', async ({ office }) => {
  const who = office.newPerson('Sunniva', 'Moen');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  await staff.post(`/rest/v1/spvs/${spv.id}/document-requests`, { name: 'Deed of trust' });

  const sunniva = await office.person(who.email);
  const elias = await office.employee();
  for (const [person, path] of [
    [sunniva, paths.clientOrder(spv.id)],
    [elias, paths.employeeOrder(spv.id)],
  ] as const) {
    person.allowError(/500/);
    const nothing = () => undefined as void;
    let [fail, response] = [nothing, nothing];
    const failed = new Promise<void>((resolve) => (fail = resolve));
    const answered = new Promise<void>((resolve) => (response = resolve));
    let tries = 0;
    await person.page.route('**/rest/v1/spvs/*/document-requests', async (route) => {
      tries += 1;
      if (tries === 1) {
        await failed;
        return route.fulfill({ status: 500 });
      }
      await answered;
      return route.continue();
    });
    await person.open(path);
    await expect(person.heading(spv.identifier)).toBeVisible();
    const steps = person.page.getByRole('list', { name: /^(Steps|Our progress)$/ });
    await expect(steps).toHaveCount(0);
    fail();
    await expect(steps).toBeVisible();
    // Among the tasks of the client, and what blocks the order for staff.
    const waiting =
      person === sunniva
        ? person.page.getByRole('list', { name: 'Requested documents' })
        : person.page.getByText(/^Waiting for .+: Deed of trust/);
    await expect(waiting).toHaveCount(0);
    response();
    await expect(waiting).toBeVisible();
  }
});

test('client sees the people and history of an order but nothing internal', async ({ office }) => {
  const api = await office.api();
  const company = await office.company();
  const partner = office.newPerson('Ivo', 'Bringer');
  const iso = await api.post<{ id: string }>('/rest/v1/isos', {
    first_name: partner.first,
    last_name: partner.last,
    email: partner.email,
    company_id: company.id,
  });
  const who = office.newPerson('Cora', 'Winter');
  const { spv } = await office.clientWithOrder(who, company.id, iso.id);
  await office.setPassword(who.email);
  const { representative } = await api.get<Settings>('/rest/v1/settings');
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const step = steps[0] ?? { id: '', step_name: '' };

  const cora = await office.person(who.email);
  await cora.open(paths.clientOrder(spv.id));
  const people = cora.card('People');
  await expect(people.getByRole('term')).toHaveText(['Account representative', 'ISO partner', 'Company']);
  // Partner and company show their names only.
  await expect(people.getByRole('definition')).toHaveText([
    representative.name,
    representative.email,
    partner.name,
    company.name,
  ]);
  await expect(cora.link(representative.email, people)).toHaveAttribute(
    'href',
    `mailto:${representative.email}`,
  );

  const timeline = cora.card('Timeline');
  const wrote = `Elias Brandt sent a message about order ${spv.identifier}`;
  await cora.withoutReload(async () => {
    // Staff-only sections load first, so they would be visible by now.
    await staff.post('/rest/v1/messages', { spv_id: spv.id, body: 'She is in a hurry', internal: true });
    await staff.patch(`/rest/v1/steps/${step.id}`, { assignee_id: staff.session?.user.id });
    await staff.patch(`/rest/v1/steps/${step.id}`, { status: 'in_progress' });
    await staff.post('/rest/v1/messages', { spv_id: spv.id, body: 'We have begun.' });
    await expect(timeline).toContainText(`Elias Brandt changed “${step.step_name}” to In progress`);
    await expect(timeline).toContainText(wrote);
  });
  const ofTheStaff = cora.page.getByText(/internal note|in a hurry|assigned “|Assigned to/);
  await expect(ofTheStaff).toHaveCount(0);
  await cora.page.reload();
  await expect(timeline).toContainText(wrote);
  await expect(cora.page.getByRole('log', { name: 'Messages' })).toContainText('We have begun.');
  await expect(ofTheStaff).toHaveCount(0);
  const told = await staff.get<Log>(`/rest/v1/activity?spv_id=${spv.id}`);
  expect(told.items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['note.written', 'step.assigned', 'step.updated', 'message.sent']),
  );
});
