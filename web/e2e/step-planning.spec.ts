/** Step planning: due dates, owners, dependencies, new steps, deletion and order. */
import { expect, test } from './support/fixtures';

const first = 'KYC and beneficial owners';
const second = 'Name check and reservation';

test('employee plans a step that depends on another', async ({ office }) => {
  const who = office.newPerson('Runa', 'Falk');
  const { spv } = await office.clientWithOrder(who);
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/orders/${spv.id}`);

  await elias.button(`Edit ${second}`).click();
  const dialog = elias.dialog('Edit SPV Step');
  await elias.button('Edit details', dialog).click();
  await elias.choose('Owner', 'Authority', dialog);
  await elias.fillFields({ 'In business days': '2' }, dialog);
  await expect(elias.field('Due date', dialog)).toHaveValue(/^\w{3} \d{1,2}, \d{4}$/);
  await elias.fillFields({ 'Due date': '2030-01-15' }, dialog);
  await dialog.getByPlaceholder('No dependencies').click();
  await elias.page.getByRole('option', { name: `1. ${first}` }).click();
  await elias.page.keyboard.press('Tab');
  await dialog.getByRole('switch', { name: 'Complete with its documents' }).press('Space');
  await elias.button('Save', dialog).click();
  await elias.expectToast('Step Updated', second);
  await expect(elias.step(second)).toContainText('Authority');
  await expect(elias.step(second)).toContainText(`After “${first}”`);

  // The client sees dependency and due date separately.
  await office.setPassword(who.email);
  const runa = await office.person(who.email);
  await runa.open(`/client-dashboard/orders/${spv.id}`);
  const ours = runa.page.getByRole('list', { name: 'Our progress' }).getByRole('listitem');
  await expect(ours.filter({ hasText: second })).toContainText(`After “${first}”`);

  await elias.setStepStatus(second, 'In progress');
  await elias.expectErrorToast('Error', `Complete these steps first: ${first}.`);
  await elias.button('Cancel', dialog).click();
  await elias.button('Discard', elias.page.getByRole('alertdialog')).press('Enter');

  await office.portal.operator('step', 'set', spv.identifier, first, '--due-date', '2031-02-03');
  await expect(elias.step(first)).toContainText('Feb 3, 2031');

  // Near and past dates have words. Daylight saving may shift them by a day.
  const near = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await office.portal.operator('step', 'set', spv.identifier, second, '--due-date', near);
  await expect(ours.filter({ hasText: second })).toContainText(/Due (tomorrow|in [23] days)/);
  await office.portal.operator('step', 'set', spv.identifier, second, '--due-date', '2020-01-15');
  await expect(ours.filter({ hasText: second })).toContainText(/Overdue by \d+ days/);
});

test('employee adds, reorders and deletes steps, also by keyboard', async ({ office }) => {
  const who = office.newPerson('Sunniva', 'Dahl');
  const { spv } = await office.clientWithOrder(who);
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/orders/${spv.id}`);
  await elias.button('Add step').click();
  const adding = elias.dialog('Add step');
  await elias.button('Add step', adding).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.fillFields({ Name: 'Apostille of the articles' }, adding);
  await elias.button('Add step', adding).click();
  await elias.expectToast('Step added', 'Apostille of the articles');
  await expect(elias.steps().getByRole('listitem')).toHaveCount(9);

  const handle = elias.button('Move Apostille of the articles');
  await handle.focus();
  await elias.page.keyboard.press('Space');
  await expect(elias.page.getByText('position 9 of 9.')).toBeAttached();
  await elias.page.keyboard.press('ArrowUp');
  await expect(elias.page.getByText('is now at position 8 of 9.')).toBeAttached();
  await elias.page.keyboard.press('Space');
  await elias.expectToast('Steps reordered');
  await expect(elias.steps().getByRole('listitem').nth(7)).toContainText('Apostille of the articles');

  await elias.button(`Move ${second}`).hover();
  await elias.page.mouse.down();
  const to = (await elias.button(`Move ${first}`).boundingBox()) ?? { x: 0, y: 0 };
  await elias.page.mouse.move(to.x + 5, to.y + 5, { steps: 12 });
  await elias.page.mouse.up();
  await expect(elias.steps().getByRole('listitem').first()).toContainText(second);
  await elias.page.reload();
  await expect(elias.steps().getByRole('listitem').first()).toContainText(second);

  await elias.button('Edit Apostille of the articles').click();
  await elias.button('Delete step', elias.dialog('Edit SPV Step')).click();
  const question = elias.dialog('Delete Apostille of the articles?');
  await expect(question).toContainText('Documents requested for it are kept.');
  await elias.button('Delete step', question).click();
  await elias.expectToast('Step deleted', 'Apostille of the articles');
  await expect(elias.steps().getByRole('listitem')).toHaveCount(8);
});

test('stale reorder is rejected with a message and overwrites nothing @postgres', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Tyra', 'Holt'));
  const elias = await office.employee();
  // Events of other processes do not reach this page.
  await elias.page.route(/\/realtime\/v1\/events/, () => undefined);
  await elias.open(`/employee-dashboard/orders/${spv.id}`);
  const steps = elias.steps().getByRole('listitem');
  await expect(steps.first()).toContainText(first);

  await office.portal.operator('spv', 'hold', spv.identifier, '--reason', 'The registry is closed');
  await office.portal.operator('spv', 'resume', spv.identifier);
  const handle = elias.button(`Move ${second}`);
  await handle.focus();
  await elias.page.keyboard.press('Space');
  await expect(elias.page.getByText('position 2 of 8.')).toBeAttached();
  await elias.page.keyboard.press('ArrowUp');
  await expect(elias.page.getByText('is now at position 1 of 8.')).toBeAttached();
  await elias.page.keyboard.press('Space');
  await elias.expectErrorToast('Error', /changed this on .+ Reload to see the latest version\.$/);
  await expect(steps.first()).toContainText(first);

  // After the refetch the same edit is saved, and saved again.
  await handle.focus();
  await elias.page.keyboard.press('Space');
  await expect(elias.page.getByText('position 2 of 8.')).toBeAttached();
  await elias.page.keyboard.press('ArrowUp');
  await expect(elias.page.getByText('is now at position 1 of 8.')).toBeAttached();
  // A dropped row stays in place and can be lifted again.
  await handle.evaluate(async (node) => {
    const space = () => new KeyboardEvent('keydown', { code: 'Space', bubbles: true, cancelable: true });
    node.dispatchEvent(space());
    await Promise.resolve();
    node.dispatchEvent(space());
  });
  await expect(steps.first()).toHaveAttribute('data-lifted', 'true');
  await expect(steps.first()).toContainText(second);
  await expect(elias.page.getByText('is now at position 1 of 8.')).toBeAttached();
  await elias.page.keyboard.press('ArrowDown');
  await expect(elias.page.getByText('is now at position 2 of 8.')).toBeAttached();
  await elias.page.keyboard.press('Space');
  await elias.expectToast('Steps reordered');
  await elias.page.reload();
  await expect(steps.first()).toContainText(first);
});
