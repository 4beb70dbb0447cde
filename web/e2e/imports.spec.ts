/** Import in the browser: mapping, trial, import, undo; sheets of a workbook. */
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
  await expect(sigrid.page.getByRole('heading', { name: 'Imported' })).toBeFocused();
  await expect(sigrid.page.getByText('1 imported · 1 rejected')).toBeVisible();

  await expect(sigrid.link('View clients')).toHaveAttribute('href', paths.employeeClients);

  const recent = sigrid.row('clients.csv', 'Recent imports');
  await recent.getByRole('button', { name: 'Undo the import of clients.csv' }).click();
  await sigrid.button('Undo', sigrid.dialog('Undo the import of clients.csv?')).click();
  await sigrid.expectToast('Undone: 1 removed');
  await expect(recent).toContainText('Undone: 1 removed');
});

test('each file of the same name is tried anew, and unknown columns are skipped', async ({ office }) => {
  const sigrid = await office.superAdmin();
  const choose = (...lines: string[]) =>
    sigrid.page.locator('input[type="file"]').setInputFiles({
      name: 'companies.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\n')),
    });
  const outcome = (text: string) => sigrid.page.getByRole('status').filter({ hasText: text });
  await sigrid.open(paths.adminImports);
  await sigrid.field('Rows').click();
  await sigrid.page.getByRole('option', { name: 'Companies', exact: true }).click();
  // Of the same length, too.
  const header = 'name,business_name,shoe size';
  const row = (name: string, size: number) => `Nordhav ${name},Nordhav ${name} LLC,${size}`;
  await choose(header, row('One', 40), row('Two', 41));
  await expect(sigrid.page.getByRole('alert')).toContainText('shoe size');
  await sigrid.page.getByRole('switch', { name: 'Skip unknown columns' }).check();
  await expect(outcome('2 to import')).toBeVisible();
  await expect(sigrid.page.getByRole('alert')).toHaveCount(0);
  await choose(header, row('One', 40), row('One', 40));
  await expect(outcome('1 to import')).toBeVisible();
  await expect(outcome('2 to import')).toHaveCount(0);
});

test('a workbook is read by the name of its sheet', async ({ office }) => {
  const sigrid = await office.superAdmin();
  const { id } = await office.company();
  const book = await sigrid.api.bytes(`/rest/v1/reports.xlsx?report=commissions&company_id=${id}`);
  await sigrid.open(paths.adminImports);
  await sigrid.page.locator('input[type="file"]').setInputFiles({
    name: 'book.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: book,
  });
  const read = sigrid.page.getByText(/^Read as Excel workbook, sheet /);
  await expect(read).toBeVisible();
  const name = /sheet ([^,.]+)/.exec((await read.textContent()) ?? '')?.[1] ?? '';
  const sheet = sigrid.field('Sheet');
  await sheet.fill('Nope');
  await sheet.press('Enter');
  await expect(sigrid.page.getByText(`Choose one of: ${name}`)).toBeVisible();
  await sheet.fill(name);
  await sheet.blur();
  await expect(read).toBeVisible();
});
