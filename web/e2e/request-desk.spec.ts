/** Request desk: a question is answered, and an application becomes an account. */
import { expect, test } from './support/fixtures';

interface Made {
  id: string;
  reference: string;
}

test('question is reviewed, prioritised and answered', async ({ office }) => {
  const ingrid = await office.iso();
  // The desk is for staff; other roles are redirected to their own requests.
  await ingrid.open('/request-management');
  await ingrid.expectPath('/iso-dashboard/requests');
  await ingrid.button('Quick Submit').click();
  const form = ingrid.dialog('Quick Submit');
  await ingrid.button('Submit request', form).click();
  await ingrid.expectFieldError('Message', 'Please fill in this field.', form);
  const question = office.uniqueName('May a second director sign');
  await ingrid.choose('Type', 'Document', form);
  await ingrid.fillFields({ Message: question }, form);
  await ingrid.button('Submit request', form).click();
  await ingrid.expectToast('Request submitted', /^REQ-[0-9a-f]{8}$/);
  const mine = ingrid.row(question, 'All requests');
  await expect(mine).toContainText('Pending');
  const reference = /REQ-[0-9a-f]{8}/.exec((await mine.textContent()) ?? '')?.[0] ?? '';

  const elias = await office.employee();
  await elias.open('/request-management');
  for (const card of ['Total Requests', 'Pending', 'Approved', 'Rejected'])
    await expect(elias.card(card)).toContainText(/\d/);
  await elias.showTable('Weekly volume');
  await expect(elias.row('Total', 'Weekly volume')).toBeVisible();
  await elias.search('Search requests', reference);
  await elias.chooseRowAction('Start review', reference);
  await elias.expectToast('Review started', reference);
  await expect(elias.row(reference, 'Requests')).toContainText('In Review');
  await expect(mine).toContainText('In Review');

  await elias.chooseRowAction('Details', reference);
  await expect(elias.heading('Document request from Ingrid Solberg')).toBeVisible();
  await elias.choose('Priority', 'High');
  await elias.expectToast('Request updated', reference);
  await expect(elias.page.getByText(`changed the priority of request ${reference}`)).toBeVisible();
  await elias.button('Approve').click();
  const approve = elias.dialog(`Approve ${reference}`);
  await elias.fillFields({ Reply: 'Yes, both may sign.' }, approve);
  await elias.button('Approve', approve).click();
  await elias.expectToast('Request approved', reference);
  await expect(elias.page.getByText('Reply: Yes, both may sign.')).toBeVisible();
  await expect(elias.button('Reject')).toHaveCount(0);
  await expect(mine).toContainText('Approved');
  await expect(mine).toContainText('Reply: Yes, both may sign.');
});

test('application prefills Quick Setup, and creating the account approves it', async ({ office }) => {
  const who = office.newPerson('Wanda', 'Lindh');
  const visitor = await office.visitor();
  const made = await visitor.api.post<Made>('/rest/v1/requests', {
    kind: 'account',
    account_type: 'client',
    email: who.email,
    application: { first_name: who.first, last_name: who.last, country: 'SG', company: 'Lindh Shipping' },
  });
  const elias = await office.employee();
  await elias.open(`/request-management/${made.id}`);
  await expect(elias.page.getByText('Lindh Shipping')).toBeVisible();
  await elias.button('Create client').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await expect(elias.field('First name', dialog)).toHaveValue(who.first);
  await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  await expect(elias.field('Country', dialog)).toHaveText('Singapore');
  await elias.pickFromSearch('Company', 'Meridian Ventures', dialog);
  await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
  await elias.fillFields({ 'SPV price': '1250.00' }, dialog);
  await elias.button('Create client', dialog).click();
  await elias.expectToast('Client Created', 'Client has been created and notified via email');
  await expect(elias.page.getByText('A client account was created.')).toBeVisible();
  await expect(elias.button('Create client')).toHaveCount(0);
  await office.setPassword(who.email);
  // Ctrl+K finds a request by its reference.
  await elias.page.keyboard.press('Control+k');
  await elias.page
    .getByRole('combobox', { name: 'Search orders, clients, companies, documents and requests' })
    .fill(made.reference);
  await expect(elias.page.getByRole('dialog').getByText(made.reference)).toBeVisible();
});
