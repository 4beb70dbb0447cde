/** The request desk: a question is answered, an application becomes an account, and whoever asked follows it. */
import { expect, test } from './support/fixtures';

interface Made {
  id: string;
  reference: string;
}

test('a question is taken into review, made urgent and answered @postgres', async ({ office }) => {
  const ingrid = await office.iso();
  // The desk is the staff's: others are led to what they have asked for themselves.
  await ingrid.opens('/request-management');
  await ingrid.isAt('/iso-dashboard/requests');
  await ingrid.button('Quick Submit').click();
  const form = ingrid.dialog('Quick Submit');
  await ingrid.button('Submit request', form).click();
  await ingrid.isToldBeside('Message', 'Please fill in this field.', form);
  const question = office.fresh('May a second director sign');
  await ingrid.chooses('Type', 'Document', form);
  await ingrid.writes({ Message: question }, form);
  await ingrid.button('Submit request', form).click();
  await ingrid.isTold('Request submitted', /^REQ-[0-9a-f]{8}$/);
  const mine = ingrid.row(question, 'All requests');
  await expect(mine).toContainText('Pending');
  const reference = /REQ-[0-9a-f]{8}/.exec((await mine.textContent()) ?? '')?.[0] ?? '';

  const elias = await office.employee();
  await elias.opens('/request-management');
  for (const card of ['Total Requests', 'Pending', 'Approved', 'Rejected'])
    await expect(elias.card(card)).toContainText(/\d/);
  await elias.button('Show as table: Weekly volume').click();
  await expect(elias.row('Total', 'Weekly volume')).toBeVisible();
  await elias.searches('Search requests', reference);
  await elias.picks('Take into review', reference);
  await elias.isTold('Taken into review', reference);
  await expect(elias.row(reference, 'Requests')).toContainText('In Review');
  await expect(mine).toContainText('In Review');

  await elias.picks('Details', reference);
  await expect(elias.heading(`Request ${reference}`)).toBeVisible();
  await elias.chooses('Priority', 'High');
  await elias.isTold('Request updated', reference);
  await expect(elias.page.getByText(`set another priority for request ${reference}`)).toBeVisible();
  await elias.button('Approve').click();
  const approve = elias.dialog(`Approve ${reference}`);
  await elias.writes({ Reply: 'Yes, both may sign.' }, approve);
  await elias.button('Approve', approve).click();
  await elias.isTold('Request approved', reference);
  await expect(elias.page.getByText('Answer: Yes, both may sign.')).toBeVisible();
  await expect(elias.button('Reject')).toHaveCount(0);
  await expect(mine).toContainText('Approved');
  await expect(mine).toContainText('Answer: Yes, both may sign.');
});

test('an application opens Quick Setup filled in, and the account approves it', async ({ office }) => {
  const who = office.newcomer('Wanda', 'Lindh');
  const visitor = await office.visitor();
  const made = await visitor.api.post<Made>('/rest/v1/requests', {
    kind: 'account',
    account_type: 'client',
    email: who.email,
    application: { first_name: who.first, last_name: who.last, country: 'SG', company: 'Lindh Shipping' },
  });
  const elias = await office.employee();
  await elias.opens(`/request-management/${made.id}`);
  await expect(elias.page.getByText('Lindh Shipping')).toBeVisible();
  await elias.button('Set up client').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await expect(elias.field('First Name', dialog)).toHaveValue(who.first);
  await expect(elias.field('Email', dialog)).toHaveValue(who.email);
  await expect(elias.field('Country', dialog)).toHaveText('Singapore');
  await elias.finds('Company', 'Meridian Ventures', dialog);
  await elias.finds('ISO', 'No ISO partner', dialog);
  await elias.writes({ 'SPV Price': '1250.00' }, dialog);
  await elias.button('Create Client', dialog).click();
  await elias.isTold('Client Created', 'Client has been created and notified via email');
  await expect(elias.page.getByText('A client account was made.')).toBeVisible();
  await expect(elias.button('Set up client')).toHaveCount(0);
  await office.setsPassword(who.email);
  // Ctrl+K finds a request by what its sender quotes.
  await elias.page.keyboard.press('Control+k');
  await elias.page
    .getByRole('textbox', { name: 'Search orders, clients, companies, documents and requests' })
    .fill(made.reference);
  await expect(elias.page.getByRole('dialog').getByText(made.reference)).toBeVisible();
});
