/** The grid of every list: order, views, selection, keyboard. */
import { readFile } from 'node:fs/promises';
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

test('lists are sorted by header, kept as views and exported by selection @postgres', async ({ office }) => {
  const last = office.uniqueName('Sorted').replace(' ', '');
  const names = (...first: string[]) => first.map((name) => `${name} ${last}`);
  for (const name of ['Bea', 'Ada', 'Cy']) await office.clientWithOrder(office.newPerson(name, last));
  const elias = await office.employee();
  await elias.open(paths.employeeClients);
  await elias.search('Search clients', last);
  const table = elias.page.getByRole('table', { name: 'Clients', exact: true });
  const rows = table.locator('[data-row-link]');
  const heading = table.getByRole('columnheader', { name: 'Name' });
  await expect(rows).toHaveText(names('Cy', 'Ada', 'Bea'));

  // The order is in the URL and survives a reload.
  await heading.getByRole('button').click();
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await expect(rows).toHaveText(names('Ada', 'Bea', 'Cy'));
  await heading.getByRole('button').click();
  await expect(elias.page).toHaveURL(/sort=-first_name/);
  await elias.page.reload();
  await expect(heading).toHaveAttribute('aria-sort', 'descending');
  await expect(rows).toHaveText(names('Cy', 'Bea', 'Ada'));

  // As a view under a name, with its number of rows.
  await elias.button('Save view').click();
  await elias.fillFields({ Name: 'Sorted ones' });
  await elias.page.getByRole('textbox', { name: 'Name', exact: true }).press('Enter');
  await elias.expectToast('View saved', 'Sorted ones');
  const views = elias.page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: /^All/ }).click();
  await expect(elias.page.getByRole('searchbox', { name: 'Search clients' })).toHaveValue('');
  await views.getByRole('link', { name: /^Sorted ones\s*3$/ }).click();
  await expect(rows).toHaveText(names('Cy', 'Bea', 'Ada'));

  // By keyboard: to the second row, select a range, export it.
  await elias.page.keyboard.press('j');
  await expect(rows.first()).toBeFocused();
  await elias.page.keyboard.press('x');
  await elias.page.keyboard.press('j');
  await elias.page.keyboard.press('Shift+X');
  const selection = elias.page.getByRole('region', { name: 'Selected rows' });
  await expect(selection).toContainText('2 selected');
  // Above its tick, the checkbox would hide it.
  const checked = elias.page.getByRole('checkbox', { name: `Select Bea ${last}` });
  await expect(checked).toBeChecked();
  await expect(checked).toHaveCSS('z-index', 'auto');
  const coming = elias.page.waitForEvent('download');
  await elias.button('Export CSV', selection).click();
  const text = await readFile(await (await coming).path(), 'utf8');
  expect(text).toContain(`,Cy,${last},`);
  expect(text).toContain(`,Bea,${last},`);
  expect(text).not.toContain(',Ada,');

  // A preview beside the list, and the page behind it.
  await rows.nth(2).focus();
  await elias.page.keyboard.press('Space');
  const preview = elias.dialog(`Preview of Ada ${last}`);
  await expect(preview.getByRole('region', { name: 'Orders' }).getByRole('listitem')).toHaveCount(1);
  await preview.getByRole('link', { name: 'Open', exact: true }).click();
  await expect(elias.heading(`Ada ${last}`)).toBeVisible();
});
