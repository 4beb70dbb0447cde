/** What orders begin with: a super admin changes it, the staff read it, new orders follow it. */
import { expect, test } from './support/story';

test('a super admin changes a template, and the next order begins with it', async ({ ownOffice: office }) => {
  const sigrid = await office.superAdmin();
  await sigrid.opens('/employee-dashboard/templates?country=SG');
  await expect(sigrid.steps().getByRole('listitem')).toHaveCount(8);

  await sigrid.button('Edit Constitution signed').click();
  const dialog = sigrid.dialog('Edit step');
  await sigrid.writes({ 'Business days': '9' }, dialog);
  await sigrid.button('Add document', dialog).click();
  await sigrid.button('Apply', dialog).click();
  await sigrid.isRefused('Missing Information', 'Please fill in all required fields');
  await dialog.getByRole('textbox', { name: 'Document', exact: true }).fill('Signed constitution');
  await sigrid.button('Apply', dialog).click();
  await expect(sigrid.step('Constitution signed')).toContainText('due 9 business days after the order');

  await sigrid.button('Move Constitution signed').focus();
  await sigrid.page.keyboard.press('Space');
  await expect(sigrid.page.getByText('number 4 of 8.')).toBeAttached();
  await sigrid.page.keyboard.press('ArrowUp');
  await expect(sigrid.page.getByText('is now number 3 of 8.')).toBeAttached();
  await sigrid.page.keyboard.press('Space');
  await sigrid.writes({ 'What is formed': 'Private limited company' });
  await sigrid.button('Save template').press('Enter');
  await sigrid.isTold('Template Saved', 'Private limited company');
  await expect(sigrid.page.getByText(/Last changed by Sigrid Aalto/)).toBeVisible();
  await expect(sigrid.button('Save template')).toBeDisabled();

  const elias = await office.employee();
  await elias.opens('/employee-dashboard/templates?country=SG');
  await expect(elias.steps().getByRole('listitem').nth(2)).toContainText('Constitution signed');
  await expect(elias.page.getByText('Signed constitution')).toBeVisible();
  await expect(elias.button('Save template')).toHaveCount(0);
  await expect(elias.button('Edit Constitution signed')).toHaveCount(0);

  await office.portal.operator('template', 'set', 'SG', '--name', 'Pte. Ltd.');
  await expect(elias.page.getByText('Pte. Ltd.')).toBeVisible();
});
