/** Steps in one click: complete, undo, change in place and by keyboard on the order page of staff. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

interface Order {
  status: string;
  steps: { id: string; step_name: string; status: string; due_date: string | null }[];
}

test('eight clicks complete the steps of an order, and only the last one asks', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Ebba', 'Lund'));
  const elias = await office.employee();
  await elias.open(paths.employeeOrder(spv.id));
  const { steps } = await elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const last = steps.at(-1)?.step_name ?? '';
  for (const { step_name } of steps.slice(0, -1)) {
    await elias.button(`Complete ${step_name}`).click();
    // Shown before the server answers.
    await expect(elias.button(`Complete ${step_name}`)).toHaveAttribute('aria-pressed', 'true');
  }
  await elias.button(`Complete “${last}”`).click();
  const question = elias.dialog('Complete the last step and close the order?');
  await expect(question).toContainText(last);
  await expect(question).toContainText('the order closes and the client gets an email');
  await elias.button('Complete and close', question).click();
  await elias.expectToast('Step Updated', 'SPV status changed to Closed');
  await expect
    .poll(async () => (await elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`)).status)
    .toBe('closed');
  await expect(elias.button('Undo')).toHaveCount(0);
});

test('an order has one next action: start it, complete a step, or resume it', async ({ office }) => {
  const { client, spv: first } = await office.clientWithOrder(office.newPerson('Runa', 'Dahl'));
  const sigrid = await office.superAdmin();
  const spv = await sigrid.api.post<Order & { id: string; identifier: string }>('/rest/v1/spvs', {
    client_id: client.id,
    company_id: client.company_id,
    purchase_amount: '90000.00',
  });
  const title = sigrid.page.getByRole('heading', { level: 1 });
  const header = sigrid.page.locator('header').filter({ has: title });
  const buttons = header.getByRole('button', { name: /^(Start|Resume|Complete)/ });
  const expectOnly = async (name: string) => {
    await expect(sigrid.button(name, header)).toBeVisible();
    await expect(buttons).toHaveCount(1);
  };
  await sigrid.open(paths.employeeOrder(spv.id));
  await expectOnly('Start Processing');
  await sigrid.button('Start Processing').click();
  await expectOnly(`Complete “${spv.steps[0]?.step_name}”`);

  await header.getByRole('button', { name: /^Status of / }).click();
  const start = sigrid.page.getByRole('menuitem', { name: /^Start Processing/ });
  await expect(start).toHaveText('Start ProcessingOnly pending orders can be started.');
  await expect(start).toBeDisabled();
  await sigrid.page.keyboard.press('Escape');
  await sigrid.api.post(`/rest/v1/spvs/${spv.id}/hold`, { reason: 'The bank asks for more time' });
  await expectOnly('Resume');
  await sigrid.button('Resume').click();
  await sigrid.expectToast('SPV Status Updated', 'SPV status changed to Processing');

  // The list of orders keeps the button, with the reason.
  await sigrid.openOrder(first.id);
  const refused = sigrid.button('Start Processing');
  await expect(refused).toBeDisabled();
  await refused.focus();
  await expect(sigrid.page.getByRole('tooltip')).toHaveText('Only pending orders can be started.');
});

test('a change is undone from its toast, and the log has both', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Tove', 'Berg'));
  const elias = await office.employee();
  await elias.open(paths.employeeOrder(spv.id));
  const order = () => elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [first, second] = (await order()).steps.map((step) => step.step_name) as [string, string];

  await elias.button(`Complete ${first}`).click();
  await elias.expectToast('Step Updated', first);
  await elias.button('Undo').click();
  await elias.expectToast('Change undone', first);
  await expect(elias.button(`Complete ${first}`)).toHaveAttribute('aria-pressed', 'false');
  const { items } = await elias.api.get<{ items: { action: string; data: { to?: string } }[] }>(
    `/rest/v1/activity?spv_id=${spv.id}`,
  );
  const changes = items.filter(({ action }) => action === 'step.updated').map(({ data }) => data.to);
  expect(changes).toEqual(['pending', 'completed']);

  // Status, block, assignee and date in place.
  await elias.chooseStepStatus(second, 'Blocked…');
  const blocking = elias.dialog(`Block ${second}`);
  await elias.button('Block step', blocking).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.fillFields({ 'Why is it blocked?': 'A stamp is missing' }, blocking);
  await elias.choose('Waiting for', 'An authority', blocking);
  await elias.button('Block step', blocking).click();
  await elias.expectToast('Step Updated', second);
  await expect(elias.step(second)).toContainText('A stamp is missing');
  await elias.chooseStepStatus(second, 'In progress');
  await elias.expectToast('Step Updated', second);
  await elias.button('Undo').click();
  await elias.expectToast('Change undone', second);
  await expect(elias.step(second)).toContainText('A stamp is missing');

  await elias.button(`Assignee of ${first}: Unassigned`).click();
  await elias.page.getByRole('menuitem', { name: 'Elias Brandt' }).click();
  await elias.expectToast('Step Updated', first);
  await expect(elias.button(`Assignee of ${first}: Assigned to Elias Brandt`)).toBeVisible();
});

test('steps are moved through, completed, assigned, edited and selected by keyboard', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Siv', 'Holm'));
  const elias = await office.employee();
  const { keyboard } = elias.page;
  await elias.open(paths.employeeOrder(spv.id));
  const { steps } = await elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [first, second, third] = steps.map((step) => step.step_name) as [string, string, string];
  await expect(elias.step(first)).toBeVisible();
  const rows = elias.page.locator('[data-row]');

  await keyboard.press('j');
  await expect(rows.nth(0)).toBeFocused();
  await keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await keyboard.press('k');
  await keyboard.press('c');
  await elias.expectToast('Step Updated', first);
  await expect(elias.button(`Complete ${first}`)).toHaveAttribute('aria-pressed', 'true');

  await keyboard.press('j');
  await keyboard.press('a');
  await expect(elias.page.getByRole('menuitem', { name: 'Elias Brandt' })).toBeVisible();
  // The menu has the keys.
  await keyboard.press('c');
  await keyboard.press('Escape');
  await expect(elias.button(`Complete ${second}`)).toHaveAttribute('aria-pressed', 'false');
  await keyboard.press('e');
  const dialog = elias.dialog('Edit SPV Step');
  await expect(dialog).toContainText(second);
  await elias.button('Cancel', dialog).click();

  await expect(rows.nth(1)).toBeFocused();
  await keyboard.press('x');
  await expect(elias.page.getByRole('checkbox', { name: `Select ${second}` })).toBeChecked();
  await keyboard.press('j');
  await keyboard.press('j');
  await keyboard.press('Shift+X');
  await expect(elias.page.getByRole('checkbox', { name: `Select ${third}` })).toBeChecked();
  await expect(elias.page.getByText('3 selected')).toBeVisible();
  await keyboard.press('c');
  await elias.expectToast('3 steps completed');
  await elias.button('Undo').click();
  await expect
    .poll(async () => {
      const now = await elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`);
      return now.steps.filter((step) => step.status === 'completed').length;
    })
    .toBe(1);
});

test('keys belong to a menu from its opening on, and live updates keep it open', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Runa', 'Dahl'));
  const elias = await office.employee();
  const { keyboard } = elias.page;
  await elias.open(paths.employeeOrder(spv.id));
  const order = () => elias.api.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [first, second] = (await order()).steps as [Order['steps'][0], Order['steps'][0]];
  await expect(elias.step(first.step_name)).toBeVisible();
  const rows = elias.page.locator('[data-row]');
  const menu = elias.page.getByRole('menu');
  const person = elias.page.getByRole('menuitem', { name: 'Elias Brandt' });

  await rows.nth(0).focus();
  // Timers run late, as on a busy machine: nothing that a menu does in one helps the next key.
  await elias.page.evaluate(() => {
    const onTime = globalThis.setTimeout;
    const late = (run: () => void, delay = 0) => onTime(run, Math.max(delay, 2000));
    Object.assign(globalThis, { setTimeout: late, onTime });
  });
  await keyboard.press('a');
  await keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await expect(rows.nth(0)).toBeFocused();
  await keyboard.press('a');
  for (const key of ['c', 'x', 'j']) await keyboard.press(key);
  await expect(menu).toBeVisible();
  await elias.page.evaluate(() =>
    Object.assign(globalThis, { setTimeout: Reflect.get(globalThis, 'onTime') }),
  );
  await keyboard.press('ArrowDown');
  await expect(person).toBeFocused();
  await expect(elias.button(`Complete ${first.step_name}`)).toHaveAttribute('aria-pressed', 'false');
  await expect(elias.page.getByRole('dialog')).toHaveCount(0);

  // A colleague completes the step with the open menu, and the next one.
  for (const { id } of [first, second]) {
    await elias.api.patch(`/rest/v1/steps/${id}`, { status: 'completed' });
  }
  await expect(elias.button(`Complete ${second.step_name}`)).toHaveAttribute('aria-pressed', 'true');
  await expect(menu).toBeVisible();
  await keyboard.press('Enter');
  await elias.expectToast('Step Updated', first.step_name);
  expect((await order()).steps[0]).toMatchObject({ status: 'completed', assignee: { name: 'Elias Brandt' } });
});

test('tabs of an order are in the address', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Ulla', 'Dahl'));
  const elias = await office.employee();
  await elias.open(paths.employeeOrder(spv.id));
  await elias.page.getByRole('tab', { name: /^Invoices/ }).click();
  await elias.expectPath(paths.employeeOrderTab(spv.id, 'invoices'));
  await elias.page.reload();
  await expect(elias.card('Invoices')).toBeVisible();
  await elias.page.getByRole('tab', { name: 'Steps', exact: true }).click();
  await elias.expectPath(paths.employeeOrder(spv.id));
  await expect(elias.steps()).toBeVisible();
});

test('wrong details of an order are corrected in place, and the client reads the new name', async ({
  office,
}) => {
  const who = office.newPerson('Sunniva', 'Dahl');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const elias = await office.employee();
  await elias.open(paths.employeeOrder(spv.id));
  const editButton = (field: string) => elias.page.getByRole('button', { name: `Edit ${field}` });
  const edit = async (field: string, value: string) => {
    await editButton(field).click();
    await elias.page.getByRole('textbox', { name: field, exact: true }).fill(value);
    await elias.page.keyboard.press('Enter');
  };
  await edit('Purchase amount', 'a lot');
  await expect(elias.page.getByText(/Enter an amount/).first()).toBeVisible();
  await elias.page.keyboard.press('Escape');
  await expect(editButton('Purchase amount')).toBeFocused();
  await edit('Vehicle name', 'Okeanos Holdings');
  await elias.expectToast('Order corrected', 'Vehicle name');
  await expect(elias.page.getByRole('heading', { level: 1, name: 'Okeanos Holdings' })).toBeVisible();
  await edit('Reference', 'PO 4711');
  await elias.expectToast('Order corrected', 'Reference');

  const sunniva = await office.person(who.email);
  await sunniva.open(paths.clientOrder(spv.id));
  await expect(sunniva.page.getByRole('heading', { level: 1, name: 'Okeanos Holdings' })).toBeVisible();
  await elias.open('/employee-dashboard/invoices?q=PO%204711');
  await elias
    .row(/Okeanos Holdings/, 'Invoices')
    .getByRole('link')
    .first()
    .click();
  await expect(elias.page.getByText('PO 4711')).toBeVisible();
});
