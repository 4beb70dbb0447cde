/** Record pages: names lead to records, records to what belongs to them. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

test('names in lists lead to records, their tabs to orders, and breadcrumbs back', async ({ office }) => {
  const who = office.newPerson('Leif', 'Thorsen');
  const company = await office.company(office.uniqueName('Thorsen Marine'));
  const { client, spv } = await office.clientWithOrder(who, company.id);
  const elias = await office.employee();
  await elias.open(paths.employeeClients);
  await elias.search('Search clients', who.email);

  // The row leads to the client, the company in it to the company.
  await elias.row(who.email, 'Clients').getByRole('link', { name: company.name }).click();
  await elias.expectPath(paths.employeeCompany(company.id));
  await expect(elias.heading(company.name)).toBeVisible();
  await expect(elias.page.getByRole('tab', { name: /^Orders\s*1$/ })).toBeVisible();
  await expect(elias.page.getByRole('tab', { name: /^Invoices\s*1$/ })).toBeVisible();
  await expect(elias.page.locator('dl').getByText('$1,250.00')).toBeVisible();
  await elias.page.getByRole('tab', { name: /^Clients\s*1$/ }).click();
  await elias.expectPath(`${paths.employeeCompany(company.id)}?tab=clients`);
  await elias.row(who.email, 'Clients').click();
  await elias.expectPath(paths.employeeClient(client.id));
  await expect(elias.heading(who.name)).toBeVisible();
  await expect(
    elias.page.getByRole('link', { name: 'Clients', exact: true, disabled: false }).first(),
  ).toHaveAttribute('aria-current', /.+/);

  // What they owe is a fact, and the sum below the invoices.
  await expect(elias.page.locator('dl').getByText('$1,250.00')).toBeVisible();
  await elias.page.getByRole('tab', { name: /^Invoices\s*1$/ }).click();
  const invoices = elias.page.getByRole('table', { name: 'Invoices', exact: true });
  await expect(invoices.getByRole('row', { name: /^Total/ })).toContainText('$1,250.00');

  await elias.page.getByRole('tab', { name: /^Orders/ }).click();
  await elias.row(spv.identifier, 'Orders').click();
  await elias.expectPath(paths.employeeOrder(spv.id));
  await elias.page.getByRole('link', { name: who.name, exact: true }).click();
  await elias.expectPath(paths.employeeClient(client.id));
  await elias.page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Clients', exact: true })
    .click();
  await elias.expectPath(paths.employeeClients);

  // Where orders are open, a switch shows the closed ones.
  const api = await office.api();
  const cancelled = await api.post<{ id: string; identifier: string }>('/rest/v1/spvs', {
    client_id: client.id,
    company_id: company.id,
    iso_id: null,
    country: 'US',
    purchase_amount: '1000.00',
  });
  await api.post(`/rest/v1/spvs/${cancelled.id}/cancel`, { reason: 'No deal' });
  await elias.open(paths.employeeCompany(company.id));
  await expect(elias.row(spv.identifier, 'Orders')).toBeVisible();
  await expect(elias.row(cancelled.identifier, 'Orders')).toHaveCount(0);
  await elias.page.getByRole('switch', { name: 'Show closed orders' }).check();
  await expect(elias.row(cancelled.identifier, 'Orders')).toBeVisible();
});

test('current tab of a record is in view on a phone', async ({ office }) => {
  const { client } = await office.clientWithOrder(office.newPerson('Nuria', 'Serra'));
  const elias = await office.employee({ viewport: { width: 390, height: 844 } });
  const tab = (name: string) => elias.page.getByRole('tab', { name });
  await elias.open(`${paths.employeeClient(client.id)}?tab=notes`);
  await expect(tab('Notes')).toBeInViewport({ ratio: 1 });
  await expect(tab('Orders')).not.toBeInViewport();
  await tab('Notes').press('Home');
  await expect(tab('Orders')).toBeInViewport({ ratio: 1 });
});
