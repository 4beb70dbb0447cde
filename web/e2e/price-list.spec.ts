/** Price list: a service is added, requested by a client, and billed with its filing fee on a line of its own. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

test('service of the price list is requested, ordered and billed with its filing fee @postgres', async ({
  office,
}) => {
  const name = office.uniqueName('Okinawa branch');
  const sam = await office.superAdmin();
  await sam.open(paths.employeePriceList);
  await sam.button('Add service').first().click();
  const form = sam.dialog('Add service');
  await sam.fillFields({ Name: name, Price: 'much' }, form);
  await sam.choose('Country', 'Japan', form);
  await sam.button('Add service', form).click();
  await sam.expectFieldError('Price', 'Enter an amount, for example 1250.00.', form);
  await sam.fillFields({ Price: '1,250.00', 'Filing fee': '90' }, form);
  await sam.button('Add service', form).click();
  await sam.expectToast('Service added', name);
  await expect(sam.row(name, 'Services')).toContainText('$1,250.00');
  await expect(sam.row(name, 'Services')).toContainText('$90.00');

  const who = office.newPerson('Ayumi', 'Sato');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const ayumi = await office.person(who.email);
  await ayumi.open(paths.clientNewOrder);
  const vehicle = office.uniqueName('Naha Quay');
  await ayumi.fillFields({
    Purpose: 'To hold a quay.',
    'First choice': vehicle,
    'Purchase amount': '400000',
  });
  await ayumi.choose('Country', 'Japan');
  await ayumi.choose('Service', `${name} · $1,250.00 + $90.00 filing fee`);
  await ayumi.button('Send request').click();
  await expect(ayumi.heading('All done')).toBeVisible();
  const reference = (await ayumi.page.getByText(/^REQ-[0-9a-f]{8}$/).textContent()) ?? '';

  const elias = await office.employee();
  await elias.open('/request-management?kind=order&status=pending');
  await elias.chooseRowAction('Accept', reference);
  const dialog = elias.dialog(`Accept ${reference}`);
  await expect(elias.field('SPV price', dialog)).toHaveValue('1,250.00');
  await expect(elias.field('Filing fee', dialog)).toHaveValue('90.00');
  await elias.fillFields({ 'Custom identifier': vehicle }, dialog);
  await elias.button('Accept and create order', dialog).click();
  await elias.expectToast('Request accepted', vehicle);

  await ayumi.open(paths.clientBilling);
  await ayumi.page
    .getByRole('link', { name: /^\d{4}-\d{4}$/ })
    .first()
    .click();
  const fee = ayumi.page.getByRole('row', { name: /^Filing fee/ });
  await expect(fee).toContainText('$90.00');

  // Deleted, it can no longer be chosen.
  await sam.button(`Delete ${name}`).click();
  await sam.button('Delete', sam.dialog(`Delete ${name}?`)).click();
  await sam.expectToast('Service deleted', name);
  await expect(sam.row(name, 'Services')).toHaveCount(0);
});
