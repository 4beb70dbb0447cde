/** Correction of an order's price: what follows is shown first, and staff and client see the invoices and credit notes. */
import { readFile } from 'node:fs/promises';
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';
import type { Staff } from './support/users';

interface Invoice {
  id: string;
  number: string;
  status: string;
  total: string;
}

/** Changes a property in place; returns the dialog with what follows. */
async function correct(staff: Staff, field: string, value: string) {
  await staff.page.getByRole('button', { name: `Edit ${field}` }).click();
  await staff.page.getByRole('textbox', { name: field, exact: true }).fill(value);
  await staff.page.keyboard.press('Enter');
  return staff.dialog(`Correct ${field}?`);
}

test('price corrected after payments is invoiced further, then credited, and the client sees both', async ({
  office,
}) => {
  const who = office.newPerson('Freya', 'Lind');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const elias = await office.employee();
  const invoices = async () =>
    (await elias.api.get<{ items: Invoice[] }>(`/rest/v1/invoices?spv_id=${spv.id}`)).items;
  const pay = (id: string, amount: string) =>
    elias.api.post(`/rest/v1/invoices/${id}/payments`, { amount, amount_again: amount });
  const [first] = await invoices();
  if (!first) throw new Error('The order has no invoice');
  await pay(first.id, '500.00');

  await elias.open(paths.employeeOrder(spv.id));
  const raised = await correct(elias, 'SPV price', '1500');
  await expect(raised).toContainText('A further invoice over $250.00 is raised.');
  await elias.button('Correct to $1,500.00', raised).click();
  await elias.expectToast('Order corrected', 'SPV price');
  await pay(first.id, '750.00');
  const further = (await invoices()).find(({ id }) => id !== first.id);
  expect(further).toMatchObject({ status: 'due', total: '250.00' });

  // The unpaid invoice goes, and the paid one is credited.
  const lowered = await correct(elias, 'SPV price', '1100');
  await expect(lowered).toContainText(`Invoice ${further?.number} over $250.00 is voided.`);
  await expect(lowered).toContainText(`Credit note over $150.00 for invoice ${first.number}.`);
  await expect(lowered).toContainText('$150.00 of what was paid');
  await elias.button('Correct to $1,100.00', lowered).click();
  await elias.expectToast('Order corrected', 'SPV price');
  await expect(lowered).toHaveCount(0);
  await elias.page.getByRole('tab', { name: /^Invoices/ }).click();
  const list = elias.card('Invoices');
  await expect(list).toContainText('-$150.00');
  await expect(list).toContainText(`For invoice ${first.number}`);
  const [file] = await Promise.all([
    elias.page.waitForEvent('download'),
    list.getByRole('button', { name: /^Download credit note/ }).click(),
  ]);
  expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');

  const freya = await office.person(who.email);
  await freya.open(paths.clientOrder(spv.id));
  await expect(freya.card('Invoices')).toContainText('-$150.00');
  await freya.open('/client-dashboard/billing');
  await expect(freya.card('Your credit')).toContainText('$150.00');
  await freya.open(paths.clientInvoice(first.id));
  await expect(freya.page.getByRole('region', { name: 'Credit notes' })).toContainText('-$150.00');
  const paper = freya.page.getByRole('article', { name: `Invoice ${first.number}` });
  await expect(paper.getByRole('row', { name: /^Credited/ })).toContainText('-$150.00');
  await expect(freya.page.getByRole('button', { name: /^Download credit note/ })).toBeVisible();
});

test('unpaid invoice is raised anew at the corrected price, and a void one again', async ({ office }) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Runa', 'Vik'));
  const elias = await office.employee();
  const invoices = async () =>
    (await elias.api.get<{ items: Invoice[] }>(`/rest/v1/invoices?spv_id=${spv.id}`)).items;
  const [first] = await invoices();
  await elias.open(paths.employeeOrder(spv.id));
  const dialog = await correct(elias, 'SPV price', '5400');
  await expect(dialog).toContainText(`Invoice ${first?.number} is voided and raised anew over $5,400.00.`);
  await elias.button('Cancel', dialog).click();
  await expect(dialog).toHaveCount(0);
  expect(await invoices()).toHaveLength(1);
  // What was typed is still there.
  const price = elias.page.getByRole('textbox', { name: 'SPV price', exact: true });
  await expect(price).toBeFocused();
  await price.press('Enter');
  await elias.button('Correct to $5,400.00', dialog).click();
  await elias.expectToast('Order corrected', 'SPV price');
  await elias.open(paths.employeeInvoice(first?.id ?? ''));
  const due = (await invoices()).find(({ status }) => status === 'due');
  await expect(elias.page.getByText(`Replaced by ${due?.number}.`)).toBeVisible();

  await elias.open(paths.employeeInvoice(due?.id ?? ''));
  await elias.button('Void').click();
  const reason = elias.dialog(`Void ${due?.number}`);
  await elias.fillFields({ Reason: 'Wrong address' }, reason);
  await elias.button('Void', reason).click();
  await elias.expectToast('Invoice voided', due?.number);
  await elias.button('Raise again').click();
  const question = elias.dialog(`Raise ${due?.number} again?`);
  await elias.button('Raise again', question).click();
  await elias.expectToast('Invoice raised');
  const latest = (await invoices()).find(({ status }) => status === 'due');
  await elias.expectPath(paths.employeeInvoice(latest?.id ?? ''));
  await expect(elias.heading(`Invoice ${latest?.number}`).first()).toBeVisible();
  expect(latest?.total).toBe('5400.00');
});

test('currency and commission percentage are corrected in place, and the page shows the new amounts', async ({
  office,
}) => {
  const company = await office.company();
  const partner = office.newPerson('Ines', 'Vidal');
  const iso = await office.portal.operator<{ id: string }>(
    ...['iso', 'create', '--first-name', partner.first, '--last-name', partner.last],
    ...['--email', partner.email, '--company', company.name],
  );
  const who = office.newPerson('Runa', 'Krogh');
  const { client } = await office.clientWithOrder(who, company.id);
  const elias = await office.employee();
  const spv = await elias.api.post<{ id: string }>('/rest/v1/spvs', {
    client_id: client.id,
    company_id: company.id,
    iso_id: iso.id,
    iso_commission_percentage: '2',
    purchase_amount: '90000.00',
    price: '1250.00',
  });
  const invoices = async () =>
    (await elias.api.get<{ items: Invoice[] }>(`/rest/v1/invoices?spv_id=${spv.id}`)).items;
  const [first] = await invoices();

  await elias.open(paths.employeeOrder(spv.id));
  const properties = elias.card('Properties');
  const shown = (field: string) => elias.page.getByRole('button', { name: new RegExp(`^Edit ${field} `) });
  await expect(shown('Purchase amount')).toContainText('$90,000.00');
  await expect(
    properties.getByRole('button', { name: 'Edit ISO commission (%) 2%', exact: true }),
  ).toBeVisible();
  await expect(shown('Commission')).toContainText('$1,800.00');

  // The unpaid invoice is raised anew in the other currency.
  await elias.button('Edit Currency USD').click();
  await elias.choose('Currency', 'EUR', properties);
  await elias.button('Save', properties).click();
  const question = elias.dialog('Correct Currency?');
  await expect(question).toContainText(first?.number ?? 'an invoice');
  await question.getByRole('button', { name: /^Correct to / }).click();
  await elias.expectToast('Order corrected', 'Currency');
  await expect(elias.button('Edit Currency EUR')).toBeFocused();
  await expect(shown('Purchase amount')).toContainText('€90,000.00');
  await expect(shown('SPV price')).toContainText('€1,250.00');
  await expect(shown('Commission')).toContainText('€1,800.00');
  await expect(properties).not.toContainText('$');

  // The amount of the commission follows its percentage.
  await elias.button('Edit ISO commission (%) 2%').click();
  const percentage = properties.getByRole('textbox', { name: 'ISO commission (%)', exact: true });
  await percentage.fill('101');
  await elias.button('Save', properties).click();
  await elias.expectFieldError('ISO commission (%)', 'Must be at most 100 percent.', properties);
  await percentage.fill('3.5');
  await elias.button('Save', properties).click();
  const rate = elias.dialog('Correct ISO commission (%)?');
  await expect(rate).toContainText('The commission changes from €1,800.00 to €3,150.00.');
  await elias.button('Correct to 3.5%', rate).click();
  await elias.expectToast('Order corrected', 'ISO commission (%)');
  await expect(elias.button('Edit ISO commission (%) 3.5%')).toBeVisible();
  await expect(shown('Commission')).toContainText('€3,150.00');

  await elias.page.getByRole('tab', { name: /^Invoices/ }).click();
  await expect(elias.card('Invoices')).toContainText('€1,250.00');
  await elias.page.reload();
  await expect(elias.button('Edit Currency EUR')).toBeVisible();
  await expect(shown('Commission')).toContainText('€3,150.00');
});
