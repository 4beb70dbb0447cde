/** Staff tools: exports, filters in the URL, search and tasks. */
import { readFile } from 'node:fs/promises';
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';
import type { Staff } from './support/users';

async function exported(staff: Staff): Promise<string[]> {
  const coming = staff.page.waitForEvent('download');
  await staff.button('Export CSV').click();
  const download = await coming;
  expect(download.suggestedFilename()).toMatch(/^[a-z]+-\d{4}-\d\d-\d\d\.csv$/);
  await staff.expectToast('Export complete', download.suggestedFilename());
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
}

test('every table can be exported as CSV with its filters @postgres', async ({ office }) => {
  const company = await office.company(office.uniqueName('+Plus Holdings'));
  const who = office.newPerson('Greta', 'Lind');
  const { client, spv } = await office.clientWithOrder(who, company.id);
  const elias = await office.employee();

  await elias.open('/employee-dashboard?tab=companies');
  await elias.search('Search companies', company.name);
  await expect(elias.row(company.name, 'Companies')).toHaveCount(1);
  const [heads, row, ...more] = await exported(elias);
  expect(heads).toMatch(/^\uFEFFid,name,business_name,email,/);
  expect(row).toContain(`,'${company.name},`);
  expect(more).toEqual([]);

  await elias.open('/employee-dashboard?tab=clients');
  await elias.search('Search clients', who.email);
  await expect(elias.row(who.email, 'Clients')).toHaveCount(1);
  expect((await exported(elias)).slice(1).join('\n')).toContain(`,Greta,Lind,${who.email},`);
  await elias.chooseRowAction('Orders', who.name);
  await elias.expectPath(`/employee-dashboard/spvs?${new URLSearchParams({ q: who.email })}`);
  await expect(elias.row(spv.identifier, 'SPVs')).toHaveCount(1);
  await elias.page.goBack();
  await elias.row(who.email, 'Clients').getByRole('link', { name: who.name }).click();
  await elias.expectPath(paths.employeeClient(client.id));

  await elias.open('/employee-dashboard?tab=isos');
  expect(await exported(elias)).not.toHaveLength(0);

  await elias.open('/employee-dashboard?tab=spvs');
  await elias.filterBy('Status', 'Closed');
  await elias.expectPath('/employee-dashboard?tab=spvs&status=closed');
  await elias.search('Search SPVs', who.email);
  await expect(elias.page.getByText(`No results for “${who.email}”`)).toBeVisible();
  expect(await exported(elias)).toHaveLength(1);
  await elias.filterBy('Status', 'Active');
  const orders = await exported(elias);
  expect(orders).toHaveLength(2);
  expect(orders[1]).toContain(`${spv.identifier},Greta Lind,${who.email},'${company.name},`);
  expect(orders[1]).toContain(',1250.00,');

  await elias.page.reload();
  await expect(elias.button('Status is Active')).toBeVisible();

  await elias.open('/employee-dashboard/invoices?status=paid');
  expect((await exported(elias)).join('\n')).not.toContain(spv.identifier);
  await elias.open('/employee-dashboard/invoices?status=due');
  expect((await exported(elias)).join('\n')).toContain(`,Greta Lind,${who.email},${spv.identifier},`);

  const { reference } = await elias.api.post<{ reference: string }>('/rest/v1/requests', {
    kind: 'support',
    name: who.name,
    email: who.email,
    message: '=1+1',
  });
  await elias.open('/request-management');
  await elias.search('Search requests', reference);
  await expect(elias.row(reference, 'Requests')).toHaveCount(1);
  const requests = await exported(elias);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toContain(`,${reference},support,pending,Greta Lind,`);
  expect(requests[1]).toContain(",'=1+1,");

  await elias.open('/employee-dashboard/documents');
  await elias.search('Search documents', spv.identifier);
  expect(await exported(elias)).toHaveLength(1);
});

test('global search finds orders, clients, companies and documents @postgres', async ({ office }) => {
  const who = office.newPerson('Torbjorn', 'Quist');
  const company = await office.company(office.uniqueName('Quist Shipping'));
  const { client, spv } = await office.clientWithOrder(who, company.id);
  const elias = await office.employee();
  await elias.open('/employee-dashboard/requests');
  await expect(elias.button('Search or jump…').first()).toBeVisible();

  await elias.page.keyboard.press('Control+k');
  const field = elias.page.getByRole('combobox', {
    name: 'Search orders, clients, companies, documents and requests',
  });
  await expect(field).toBeFocused();
  await field.fill('nobody of this name');
  await expect(elias.page.getByText('No results for “nobody of this name”')).toBeVisible();
  await field.fill('torbj');
  await expect(elias.page.getByText(who.email)).toBeVisible();
  await elias.page.keyboard.press('Enter');
  await elias.expectPath(`/employee-dashboard/orders/${spv.id}`);

  await elias.button('Search or jump…').first().click();
  await field.fill(who.email);
  await elias.page.getByRole('dialog').getByText(who.email).click();
  await elias.expectPath(paths.employeeClient(client.id));
  await expect(elias.heading(who.name)).toBeVisible();

  await elias.page.keyboard.press('Control+k');
  await field.fill(company.name);
  await elias.page.getByRole('dialog').getByText(company.name, { exact: true }).click();
  await elias.expectPath(paths.employeeCompany(company.id));
  await expect(elias.heading(company.name)).toBeVisible();

  const { items } = await elias.api.get<{ items: { id: string; name: string; reference: string }[] }>(
    '/rest/v1/documents?limit=1',
  );
  const paper = items[0] ?? { id: '', name: '', reference: '' };
  await elias.page.keyboard.press('Control+k');
  await field.fill(paper.reference);
  await elias.page.getByRole('dialog').getByText(paper.name, { exact: true }).click();
  await elias.expectPath(`/employee-dashboard/documents/${paper.id}`);
});

test('step assigned to an employee appears among the tasks', async ({ office }) => {
  const who = office.newPerson('Agda', 'Moreau');
  const { spv } = await office.clientWithOrder(who);
  // The demo employee has requests among the tasks.
  const karin = await office.firstEmployee('Karin', 'Holm');
  await karin.open('/employee-dashboard/tasks');
  await expect(karin.page.getByText('No tasks assigned to you')).toBeVisible();

  const me = await karin.api.get<{ first_name: string; last_name: string }>('/rest/v1/me');
  await karin.openOrder(spv.id);
  await karin.button('Edit KYC and beneficial owners').click();
  const dialog = karin.dialog('Edit SPV Step');
  await karin.choose('Assignee', `${me.first_name} ${me.last_name}`, dialog);
  await karin.button('Save', dialog).click();
  await karin.expectToast('Step Updated', 'KYC and beneficial owners');
  await expect(
    karin.button(`Assignee of KYC and beneficial owners: Assigned to ${me.first_name} ${me.last_name}`),
  ).toBeVisible();

  await karin.open('/employee-dashboard');
  await expect(karin.row('KYC and beneficial owners', 'My Tasks')).toContainText(spv.identifier);
  await expect(karin.card('Performance, last 90 days')).toContainText('Overdue now');
  await karin.link('View all 1').click();
  await karin.expectPath('/employee-dashboard/tasks');
  await expect(karin.page.getByText('1 open task', { exact: true })).toBeVisible();
  // Search and order are in the address.
  await karin.search('Search tasks', 'nothing like it');
  await expect(karin.page.getByText('No results for “nothing like it”')).toBeVisible();
  await karin.search('Search tasks', `kyc ${spv.identifier.toLowerCase()}`);
  await expect(karin.row('KYC and beneficial owners', 'My Tasks')).toBeVisible();
  await karin.button('Client', karin.page.getByRole('columnheader', { name: 'Client' })).click();
  await karin.expectPath(/[?&]sort=client(&|$)/);
  const client = karin.page.getByRole('columnheader', { name: 'Client' });
  await expect(client).toHaveAttribute('aria-sort', 'ascending');
  const [, task, ...others] = await exported(karin);
  expect(task).toContain(`,KYC and beneficial owners,${spv.identifier},${who.name},`);
  expect(others).toEqual([]);
  // Long result lists are cut to the first page, which is stated.
  const told = 'These are the first 200 by due date. Export to see all.';
  await expect(karin.page.getByText(told)).toHaveCount(0);
  await karin.page.route('**/rest/v1/tasks', async (route) => {
    const response = await route.fetch();
    const { items } = (await response.json()) as { items: object[] };
    const many = Array.from({ length: 200 }, (_, n) => ({ ...items[0], id: `${n}` }));
    await route.fulfill({ response, json: { items: many, more: true } });
  });
  await karin.open('/employee-dashboard/tasks');
  await expect(karin.page.getByText(told)).toBeVisible();
  await expect(karin.row('KYC and beneficial owners', 'My Tasks')).toHaveCount(200);
  await karin.page.unroute('**/rest/v1/tasks');
  await karin.open('/employee-dashboard/tasks');
  await expect(karin.page.getByText('1 open task', { exact: true })).toBeVisible();

  await office.portal.operator('step', 'assign', spv.identifier, '1');
  await expect(karin.page.getByText('No tasks assigned to you')).toBeVisible();
});

test('employee completes several open steps at once', async ({ office }) => {
  const who = office.newPerson('Ines', 'Ferro');
  const { spv } = await office.clientWithOrder(who);
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/orders/${spv.id}`);
  await elias.button('Select steps').click();
  await expect(elias.button('Complete 0 steps')).toBeDisabled();
  await elias.page.getByRole('checkbox', { name: 'Select KYC and beneficial owners' }).check();
  await elias.page.getByRole('checkbox', { name: 'Select Name check and reservation' }).check();
  await elias.button('Complete 2 steps').click();
  await elias.expectToast('2 steps completed');

  // Started and blocked steps count as open like pending ones.
  const { steps } = await elias.api.get<{ steps: { id: string }[] }>(`/rest/v1/spvs/${spv.id}`);
  const [third, fourth] = steps.slice(2) as [{ id: string }, { id: string }];
  const blocked = { status: 'blocked', blocked_reason: 'A stamp is missing', waiting_on: 'authority' };
  await elias.api.patch(`/rest/v1/steps/${third.id}`, { status: 'in_progress' });
  await elias.api.patch(`/rest/v1/steps/${fourth.id}`, blocked);
  await expect(elias.page.getByText('A stamp is missing').first()).toBeVisible();
  await elias.button('Select steps').click();
  await elias.button('Select all open').click();
  await elias.button('Complete 6 steps').click();
  const last = elias.dialog('Complete 6 steps and close the order?');
  await expect(last).toContainText('the order closes and the client gets an email');
  await elias.button('Complete and close', last).click();
  await elias.expectToast('6 steps completed');
  await expect(elias.page.getByText('Closed', { exact: true }).first()).toBeVisible();
});
