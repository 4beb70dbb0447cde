/** Step templates: super admins edit them, staff read them, new orders copy them. */
import { expect, test } from './support/fixtures';

test('changed template applies to the next order', async ({ ownOffice: office }) => {
  const sigrid = await office.superAdmin();
  await sigrid.open('/employee-dashboard/templates?country=SG');
  await expect(sigrid.steps().getByRole('listitem')).toHaveCount(8);

  await sigrid.button('Edit Constitution signed').click();
  const dialog = sigrid.dialog('Edit step');
  await sigrid.fillFields({ 'Business days': '9' }, dialog);
  await sigrid.button('Add document', dialog).click();
  await sigrid.button('Apply', dialog).click();
  await sigrid.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await dialog.getByRole('textbox', { name: 'Document', exact: true }).fill('Signed constitution');
  await sigrid.button('Apply', dialog).click();
  await expect(sigrid.step('Constitution signed')).toContainText('due 9 business days after the order');

  const comesAfter = async (name: string, ...needs: string[]) => {
    await sigrid.button(`Edit ${name}`).click();
    await dialog.getByPlaceholder('No dependencies').click();
    for (const need of needs) await sigrid.page.getByRole('option', { name: need }).click();
    await sigrid.page.keyboard.press('Tab');
    await sigrid.button('Apply', dialog).click();
  };
  const director = 'Local director and secretary appointed';
  await comesAfter('Constitution signed', '2. Name application with ACRA', `3. ${director}`);
  const both = `After “Name application with ACRA”, “${director}”`;
  await expect(sigrid.step('Constitution signed')).toContainText(both);
  // Dependencies on a removed step are removed.
  await sigrid.button('Edit Name application with ACRA').click();
  await sigrid.button('Delete step', dialog).click();
  await expect(sigrid.step('Name application with ACRA')).toHaveCount(0);
  await expect(sigrid.step('Constitution signed')).toContainText(`After “${director}”`);

  await sigrid.button('Move Constitution signed').focus();
  await sigrid.page.keyboard.press('Space');
  await expect(sigrid.page.getByText('position 3 of 7.')).toBeAttached();
  await sigrid.page.keyboard.press('ArrowUp');
  await expect(sigrid.page.getByText('is now at position 2 of 7.')).toBeAttached();
  await sigrid.page.keyboard.press('Space');
  // A key pressed right after lifting is handled too.
  await expect(sigrid.page.getByText('was dropped at position 2 of 7.')).toBeAttached();
  await sigrid.button('Move Constitution signed').evaluate((handle) => {
    for (const code of ['Space', 'ArrowDown']) {
      handle.dispatchEvent(new KeyboardEvent('keydown', { code, bubbles: true, cancelable: true }));
    }
  });
  await expect(sigrid.page.getByText('is now at position 3 of 7.')).toBeAttached();
  await sigrid.page.keyboard.press('Escape');
  await expect(sigrid.page.getByText('is back at position 2 of 7.')).toBeAttached();
  await sigrid.fillFields({ 'Entity type': 'Private limited company' });
  await sigrid.button('Save template').press('Enter');
  await sigrid.expectToast('Template saved', 'Private limited company');
  await expect(sigrid.page.getByText(/Last changed by Sigrid Aalto/)).toBeVisible();
  await expect(sigrid.button('Save template')).toBeDisabled();
  await expect(sigrid.step('Constitution signed')).toContainText(`After “${director}”`);

  // A dependency cycle.
  await comesAfter(director, '2. Constitution signed');
  await sigrid.button('Save template').press('Enter');
  await sigrid.expectErrorToast('Error');
  const circle = 'The step would depend on itself. Choose other steps.';
  for (const name of ['Constitution signed', director]) {
    await expect(sigrid.page.getByText(`${name}: ${circle}`, { exact: true })).toBeVisible();
  }
  await sigrid.button('Undo changes').press('Enter');
  await expect(sigrid.step(director)).not.toContainText('After “');

  const elias = await office.employee();
  await elias.open('/employee-dashboard/templates?country=SG');
  await expect(elias.steps().getByRole('listitem').nth(1)).toContainText('Constitution signed');
  await expect(elias.step('Constitution signed')).toContainText(`After “${director}”`);
  await expect(elias.page.getByText('Signed constitution')).toBeVisible();
  await expect(elias.button('Save template')).toHaveCount(0);
  await expect(elias.button('Edit Constitution signed')).toHaveCount(0);

  await office.portal.operator('template', 'set', 'SG', '--name', 'Pte. Ltd.');
  await expect(elias.page.getByText('Pte. Ltd.')).toBeVisible();
});
