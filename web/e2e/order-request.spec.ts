/** Order requests: a client requests an order, staff accept or decline it, the client follows. */
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';
import type { Person } from './support/users';

async function maya(office: TestServer): Promise<{ client: Person; company: string }> {
  const who = office.newPerson('Maya', 'Ortiz');
  const company = await office.company();
  await office.clientWithOrder(who, company.id);
  await office.setPassword(who.email);
  return { client: await office.person(who.email), company: company.name };
}

async function requestOrder(client: Person, name: string): Promise<string> {
  await client.open('/client-dashboard/orders');
  await client.link('New SPV Order').click();
  await client.expectPath('/client-dashboard/orders/new');
  await client.fillFields({
    Purpose: 'To buy a warehouse',
    'First choice': name,
    'Second choice': `${name} II`,
  });
  await client.fillFields({ 'Purchase amount': '250,000.50' });
  await client.choose('Country', 'Singapore');
  const papers = client.page.getByRole('group', { name: 'Documents', exact: true }).last();
  await papers
    .locator('input[type="file"]')
    .first()
    .setInputFiles({
      name: `${name} plan.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('What we want to do'),
    });
  await expect(papers.getByRole('list', { name: 'Uploads' })).toContainText('Uploaded');
  await client.button('Send request').click();
  await expect(client.heading('All done')).toBeVisible();
  const reference = await client.page.getByText(/^REQ-[0-9a-f]{8}$/).textContent();
  return reference ?? '';
}

test('accepted order request becomes a pending order @postgres', async ({ office }) => {
  const { client, company } = await maya(office);
  await client.open('/client-dashboard/orders/new');
  await client.fillFields({ 'Second choice': 'Same', 'Purchase amount': '1e9' });
  await client.button('Send request').click();
  await client.expectErrorToast('Missing Information', 'Please fill in all required fields');
  for (const label of ['Purpose', 'First choice'])
    await client.expectFieldError(label, 'Please fill in this field.');
  await client.expectFieldError('Purchase amount', 'Enter an amount, for example 1250.00.');
  await client.fillFields({
    Purpose: 'Two',
    'First choice': 'Same',
    'Second choice': 'same',
  });
  await client.button('Send request').click();
  await client.expectErrorToast('Error');
  await client.expectFieldError('First choice', 'Appears twice. Choose different ones.');
  await client.expectFieldError('Purchase amount', 'Enter an amount, for example 1250.00.');

  const name = office.uniqueName('Harbor Warehouse');
  const reference = await requestOrder(client, name);
  // Measured duration with its unit.
  await expect(client.page.getByText(/^\d+\.\d seconds$/)).toBeVisible();
  await client.link('Continue to Dashboard').click();
  await client.expectPath('/client-dashboard/orders');
  await expect(client.row(reference, 'My requests')).toContainText('Pending');
  await expect(client.row(reference, 'My requests')).toContainText('$250,000.50');

  const elias = await office.employee();
  await elias.open('/employee-dashboard/requests?kind=order&status=pending');
  await expect(elias.row(reference, 'Requests')).toContainText(name);
  // Attachments can be opened before the decision.
  await elias.chooseRowAction('Details', reference);
  await expect(elias.heading(name)).toBeVisible();
  const saved = elias.page.waitForEvent('download');
  await elias.button(`Download ${name} plan.txt, version 1`).click();
  expect((await saved).suggestedFilename()).toBe(`${name} plan.txt`);
  await elias.open('/request-management?kind=order&status=pending');
  await elias.chooseRowAction('Accept', reference);
  const dialog = elias.dialog(`Accept ${reference}`);
  await expect(elias.field('Company', dialog)).toHaveValue(company);
  await expect(elias.field('Purchase amount', dialog)).toHaveValue('250,000.50');
  await expect(elias.field('Country', dialog)).toHaveText('Singapore');
  await elias.fillFields({ 'SPV price': '1250.00', 'Custom identifier': name }, dialog);
  await elias.button('Accept and create order', dialog).click();
  await elias.expectToast('Request accepted', name);
  await expect(elias.row(reference, 'Requests')).toHaveCount(0);

  // The client page stayed open throughout.
  const row = client.row(reference, 'My requests');
  await expect(row).toContainText('Approved');
  await expect(client.row(name, 'All orders')).toContainText('Pending');
  await client.link(`Order ${name}`, row).click();
  await expect(client.heading(name)).toBeVisible();
  await expect(client.row(`${name} plan.txt`, `Documents of ${name}`)).toBeVisible();
});

test('order request is declined with a reason, and another one is withdrawn', async ({ office }) => {
  const { client } = await maya(office);
  const reference = await requestOrder(client, office.uniqueName('Too Far'));
  const elias = await office.employee();
  await elias.open('/employee-dashboard/requests?kind=order');
  await elias.chooseRowAction('Reject', reference);
  const dialog = elias.dialog(`Reject ${reference}`);
  await elias.button('Reject', dialog).click();
  await elias.expectFieldError('Reason', 'Please fill in this field.', dialog);
  await elias.fillFields({ Reason: 'We do not form vehicles for this purpose.' }, dialog);
  await elias.button('Reject', dialog).click();
  await elias.expectToast('Request rejected', reference);

  await client.open('/client-dashboard/orders');
  const row = client.row(reference, 'My requests');
  await expect(row).toContainText('Rejected');
  await expect(row).toContainText('Reason: We do not form vehicles for this purpose.');

  const other = office.uniqueName('Changed my mind');
  const second = await requestOrder(client, other);
  const offered = (action: string) => elias.page.getByRole('menuitem', { name: action, exact: true });
  await elias.button(`Actions for ${second}`).click();
  await expect(offered('Reject')).toBeEnabled();
  await client.open('/client-dashboard/orders');
  await client.button(`Withdraw ${second}`).click();
  await client.button('Withdraw', client.dialog(`Withdraw ${second}?`)).click();
  await client.expectToast('Request withdrawn', second);
  await expect(client.row(second, 'My requests')).toContainText('Withdrawn');
  // Disabled actions stay in the open menu.
  await expect(offered('Reject')).toBeDisabled();
  await offered('Details').click();
  await expect(elias.heading(other)).toBeVisible();
  await expect(elias.page.getByText('To buy a warehouse')).toBeVisible();
});
