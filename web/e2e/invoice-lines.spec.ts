/** Invoices over lines with tax, and their installments: issued and divided by staff, paid in parts, seen by the client. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

interface Invoices {
  items: { id: string; number: string; total: string; tax: string }[];
}

test('invoice with tax, filing fee and discount is divided into deposit and balance and paid in parts @postgres', async ({
  office,
}) => {
  const who = office.newPerson('Ines', 'Duarte');
  const { client, spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const elias = await office.employee();
  await elias.open(`${paths.employeeOrder(spv.id)}?tab=invoices`);
  await elias.button('New invoice').click();
  const dialog = elias.dialog(`New invoice for ${spv.identifier}`);
  const line = (number: number) => dialog.getByRole('group', { name: `Line ${number}` });
  await elias.fillFields({ Description: 'Registered agent', 'Unit price': '100' }, line(1));
  await elias.fillFields({ Quantity: '3', 'Tax rate': '200' }, line(1));
  await elias.button('Add filing fee', dialog).click();
  await elias.fillFields({ Description: 'Franchise tax', 'Unit price': '50' }, line(2));
  await elias.button('Add discount', dialog).click();
  await elias.fillFields({ Description: 'Loyal client', 'Unit price': '20', 'Tax rate': '10' }, line(3));
  await elias.button('Issue invoice', dialog).click();
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('Tax rate', 'Must be at most 100 percent.', line(1));
  await elias.fillFields({ 'Tax rate': '10' }, line(1));
  await expect(dialog).toContainText('$358.00');
  await elias.button('Issue invoice', dialog).click();
  await elias.expectToast('Invoice issued');

  const { items } = await elias.api.get<Invoices>(`/rest/v1/invoices?spv_id=${spv.id}`);
  const invoice = items.find(({ total }) => total === '358.00');
  if (!invoice) throw new Error('The invoice was not issued');
  expect(invoice.tax).toBe('28.00');
  await elias.open(paths.employeeInvoice(invoice.id));
  const paper = elias.page.getByRole('article', { name: `Invoice ${invoice.number}` });
  await expect(paper.getByRole('row', { name: /^Franchise tax/ })).toContainText('$50.00');
  await expect(paper.getByRole('row', { name: /10% on \$280.00/ })).toContainText('$28.00');
  await expect(paper.getByRole('row', { name: /^Total/ })).toContainText('$358.00');

  // A phone has no room for the columns of a price.
  const price = paper.getByRole('columnheader', { name: 'Unit price' });
  await expect(price).toBeVisible();
  const calculation = paper.getByText(/^3 × \$100\.00 · .* 10%$/);
  await expect(calculation).toBeHidden();
  const screen = elias.page.viewportSize();
  await elias.page.setViewportSize({ width: 390, height: 844 });
  await expect(price).toBeHidden();
  await expect(calculation).toBeVisible();
  await elias.page.setViewportSize(screen ?? { width: 1280, height: 720 });

  await elias.button('Installments').click();
  const plan = elias.dialog(`Installments of ${invoice.number}`);
  const part = (number: number) => plan.getByRole('group', { name: `Installment ${number}` });
  await elias.fillFields({ Amount: '100' }, part(1));
  await elias.fillFields({ Amount: '250', 'Due date': '2099-01-31' }, part(2));
  await elias.button('Set installments', plan).click();
  await elias.expectErrorToast('Error');
  await expect(plan).toContainText('The installments add up to 350.00 USD, but 358.00 USD is billed.');
  await elias.fillFields({ Amount: '258' }, part(2));
  await elias.button('Set installments', plan).click();
  await elias.expectToast('Installments set', invoice.number);
  await expect(paper.getByRole('table', { name: 'Installments' })).toContainText('$258.00');

  const ines = await office.person(who.email);
  await ines.open('/client-dashboard/billing');
  const next = ines.page.getByRole('region', { name: 'Next payments' });
  const row = next.getByRole('listitem').filter({ hasText: invoice.number });
  await expect(row).toContainText('$100.00');
  await elias.button('Record payment').click();
  const payment = elias.dialog(`Record a payment for ${invoice.number}`);
  await elias.fillFields({ Amount: '100', 'Confirm amount': '100' }, payment);
  await elias.button('Record payment', payment).click();
  await elias.expectToast('Payment recorded', invoice.number);
  await expect(row).toContainText('$258.00');

  // More than is due is kept as credit only when the staff say so.
  await elias.button('Record payment').click();
  await elias.fillFields({ Amount: '300', 'Confirm amount': '300' }, payment);
  await payment.getByRole('checkbox', { name: /^Keep what is beyond/ }).check();
  await elias.button('Record payment', payment).click();
  await elias.expectToast('Payment recorded', invoice.number);
  await expect(row).toHaveCount(0);
  await elias.open(paths.employeeClient(client.id));
  await expect(elias.page.getByText('Credit', { exact: true }).locator('..')).toContainText('$42.00');
  await ines.open('/client-dashboard/billing');
  await expect(ines.card('Your credit')).toContainText('$42.00');
});
