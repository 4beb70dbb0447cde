/** Import in the browser: mapping, trial, import, undo. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

test('super admin maps a column, imports a file of European Excel and undoes it', async ({ office }) => {
  const sigrid = await office.superAdmin();
  const { name } = await office.company();
  const ida = office.newPerson('Ida', 'Brandt');
  const lines = [
    'Given name;Last Name;Email;Company name',
    `Ida;Brandt;${ida.email};${name}`,
    `Otto;Brandt;broken;${name}`,
  ];
  await sigrid.open(paths.adminImports);
  await sigrid.page.locator('input[type="file"]').setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n'), 'latin1'),
  });
  await expect(sigrid.page.getByText('Read as CSV, separated by semicolons')).toBeVisible();
  await expect(sigrid.page.getByRole('alert')).toContainText('Given name');
  await sigrid.field('Read Given name as').click();
  await sigrid.page.getByRole('option', { name: 'first_name *', exact: true }).click();
  await expect(sigrid.page.getByRole('status').filter({ hasText: '1 to import · 1 rejected' })).toBeVisible();
  await expect(sigrid.row('Otto', 'Rows to look at')).toContainText('Rejected');
  await sigrid.button('Import 1 row').click();
  await expect(sigrid.page.getByText('1 imported · 1 rejected')).toBeVisible();

  const recent = sigrid.row('clients.csv', 'Recent imports');
  await recent.getByRole('button', { name: 'Undo' }).click();
  await sigrid.button('Undo', sigrid.dialog('Undo the import of clients.csv?')).click();
  await sigrid.expectToast('Undone: 1 removed');
  await expect(recent).toContainText('Undone: 1 removed');
});
