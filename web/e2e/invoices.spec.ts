/** Invoices: issue, payment instructions, receipts, payments and printing. */
import { readFile } from 'node:fs/promises';
import { overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';
import { paths } from '../src/paths';

interface Invoices {
  items: { id: string; number: string; spv_identifier: string }[];
}

test('partial payments are recorded and the client sees them live @postgres', async ({ office }) => {
  const who = office.newPerson('Maya', 'Ortiz');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const maya = await office.person(who.email);
  const { items } = await maya.api.get<Invoices>('/rest/v1/invoices');
  const { id, number } = items[0] ?? { id: '', number: '' };

  await maya.open('/client-dashboard/billing');
  await expect(maya.card('To pay')).toContainText(/\$[\d,]+\.\d\d/);
  await expect(maya.page.getByRole('region', { name: 'Pay by bank transfer' })).toContainText('DEMOUS00XXX');
  await expect(maya.row(number, 'Invoices')).toContainText('Due');
  const [table] = await Promise.all([maya.page.waitForEvent('download'), maya.button('Export CSV').click()]);
  const lines = (await readFile(await table.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual([number]);
  await maya.link(number).click();
  await expect(maya.heading(`Invoice ${number}`).first()).toBeVisible();
  const paper = maya.page.getByRole('article', { name: `Invoice ${number}` });
  await expect(paper).toContainText(who.name);
  await expect(maya.page.getByRole('region', { name: 'Pay by bank transfer' })).toContainText(number);
  await expect(maya.button('Record payment')).toHaveCount(0);

  const [file] = await Promise.all([maya.page.waitForEvent('download'), maya.button('Download PDF').click()]);
  expect(file.suggestedFilename()).toBe(`${number}.pdf`);
  expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');

  const total =
    (await paper
      .getByRole('row', { name: /^Total/ })
      .getByRole('cell')
      .textContent()) ?? '';
  const whole = Number(total.replaceAll(/[^\d.]/g, ''));
  const elias = await office.employee();
  await elias.open('/employee-dashboard/invoices?status=due');
  await elias.row(number, 'Invoices').getByRole('link', { name: number }).click();
  await elias.button('Record payment').click();
  const dialog = elias.dialog(`Record a payment for ${number}`);
  await expect(dialog.getByRole('textbox', { name: 'Amount', exact: true })).toHaveValue('');
  await elias.fillFields({ Amount: '100', 'Confirm amount': '10' }, dialog);
  await elias.button('Record payment', dialog).click();
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('Confirm amount', "The amounts don't match. Enter it again.", dialog);
  await elias.fillFields({ Amount: String(whole + 1), 'Confirm amount': String(whole + 1) }, dialog);
  await elias.button('Record payment', dialog).click();
  await elias.expectErrorToast('Error');
  await expect(dialog).toContainText('More than the amount due');
  await elias.fillFields({ Amount: '100', 'Confirm amount': '100.00', Note: 'First part' }, dialog);
  await elias.button('Record payment', dialog).click();
  await elias.expectToast('Payment recorded', number);
  await expect(elias.page.getByRole('region', { name: 'Payments' })).toContainText('by Elias Brandt');

  // The client page stayed open; the recorder and the note are visible to staff only.
  const payments = maya.page.getByRole('region', { name: 'Payments' });
  await expect(payments).toContainText('$100.00');
  await expect(payments).not.toContainText('Elias');
  await expect(payments).not.toContainText('First part');
  await expect(paper).toContainText('Partially paid');

  await elias.button('Record payment').click();
  await elias.fillFields({ Amount: String(whole - 100), 'Confirm amount': String(whole - 100) }, dialog);
  await elias.button('Record payment', dialog).click();
  await elias.expectToast('Payment recorded', number);
  await expect(elias.button('Record payment')).toHaveCount(0);
  await expect(elias.button('Void')).toHaveCount(0);
  await expect(paper).toContainText('Paid');
  await maya.open('/client-dashboard/billing');
  await expect(maya.card('To pay')).toContainText('Nothing due');

  const stranger = await office.client();
  await stranger.open(`/client-dashboard/billing/${id}`);
  await expect(stranger.heading('Invoice not found')).toBeVisible();
});

test('printed invoice contains only the invoice and the payment details', async ({ office }) => {
  const who = office.newPerson('Petra', 'Blatt');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const petra = await office.person(who.email);
  const { items } = await petra.api.get<Invoices>('/rest/v1/invoices');
  const { id, number } = items[0] ?? { id: '', number: '' };
  await petra.open(`/client-dashboard/billing/${id}`);
  const paper = petra.page.getByRole('article', { name: `Invoice ${number}` });
  const ofTheScreen = [
    petra.page.getByRole('navigation', { name: 'Main navigation' }),
    petra.page.getByRole('button', { name: /^Account menu of/ }),
    petra.button('Download PDF'),
    petra.button('Print'),
    petra.page.getByRole('region', { name: 'Pay by bank transfer' }),
  ];
  for (const part of ofTheScreen) await expect(part).not.toHaveCount(0);
  const howToPay = paper.getByRole('heading', { name: 'Pay by bank transfer' });
  await expect(howToPay).toHaveCount(0);

  await petra.page.emulateMedia({ colorScheme: 'dark' });
  await expect(petra.page.locator('body')).not.toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await petra.page.emulateMedia({ media: 'print' });
  // Print uses the light scheme from the dark one too.
  await expect(petra.page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(petra.page.locator('body')).toHaveCSS('color', 'rgb(29, 34, 41)');
  for (const part of ofTheScreen) await expect(part).toHaveCount(0);
  await expect(paper.getByRole('heading', { name: `Invoice ${number}` })).toBeVisible();
  await expect(paper).toContainText(who.name);
  // Skip the header row.
  await expect(paper.getByRole('row').nth(1)).toContainText('$1,250.00');
  await expect(paper.getByRole('row', { name: /^Total/ })).toContainText('$1,250.00');
  // Same layout as the PDF.
  await expect(howToPay).toBeVisible();
  const facts = paper.getByRole('definition');
  await expect(facts.filter({ hasText: 'DEMOUS00XXX' })).toBeVisible();
  await expect(facts.filter({ hasText: number })).toBeVisible();
});

test('multi-page invoice prints its totals once, black on white', async ({ office }) => {
  const who = office.newPerson('Lena', 'Lang');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const lena = await office.person(who.email);
  const { items } = await lena.api.get<Invoices>('/rest/v1/invoices');
  const { id, number } = items[0] ?? { id: '', number: '' };
  // An order creates one line; an import may create more.
  const text = 'Formation, registered agent, filing fees and the documents of each member state. '.repeat(4);
  const lines = Array.from(
    { length: 60 },
    (_, n) => `(x'${id.replaceAll('-', '')}', ${n + 10}, '${n + 1}. ${text}', 0)`,
  );
  await office.portal.sql(
    `insert into invoice_lines (invoice_id, line_order, description, amount_minor) values ${lines.join(', ')}`,
  );
  await lena.open(`/client-dashboard/billing/${id}`);
  const { page } = lena;
  const paper = page.getByRole('article', { name: `Invoice ${number}` });
  await expect(paper.getByText(/^60\. /)).toBeVisible();
  expect(await overflowingElements(page)).toEqual([]);

  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('body')).not.toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  const colours = await paper.evaluate((article) =>
    [article, ...article.querySelectorAll('h2, p, th, td, dt, dd, span')].map((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return { color, backgroundColor };
    }),
  );
  for (const { color, backgroundColor } of colours) {
    expect(brightness(color)).toBeLessThan(140);
    expect(['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)']).toContain(backgroundColor);
  }
  // A table footer would repeat on every page.
  await expect(paper.locator('tfoot')).toHaveCount(0);
  await expect(paper.locator('thead')).toHaveCSS('display', 'table-header-group');
  const printed = await page.pdf({ format: 'A4', printBackground: true });
  expect(pages(printed)).toBeGreaterThan(2);
});

test('voided invoice shows its reason to the client', async ({ office }) => {
  const who = office.newPerson('Vera', 'Nowak');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const vera = await office.person(who.email);
  const { items } = await vera.api.get<Invoices>('/rest/v1/invoices');
  const { id, number } = items[0] ?? { id: '', number: '' };
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/invoices/${id}`);
  await elias.button('Void').click();
  const dialog = elias.dialog(`Void ${number}`);
  await elias.fillFields({ Reason: 'The price was agreed anew.' }, dialog);
  await elias.button('Void', dialog).click();
  await elias.expectToast('Invoice voided', number);
  await vera.open(`/client-dashboard/billing/${id}`);
  await expect(vera.page.getByText('Void: The price was agreed anew.')).toBeVisible();
  await expect(vera.page.getByRole('region', { name: 'Pay by bank transfer' })).toHaveCount(0);
});

test('spvctl lists and pays invoices', async ({ office }) => {
  const who = office.newPerson('Olga', 'Petrova');
  await office.clientWithOrder(who);
  const [due] = await office.portal.operator<{ number: string; due: string }[]>(
    ...['invoice', 'list', '--client', who.email, '--status', 'due'],
  );
  const paid = await office.portal.operator<{ status: string; due: string; payments: unknown[] }>(
    ...['invoice', 'pay', due?.number ?? '', '--amount', due?.due ?? '', '--note', 'By wire'],
  );
  expect(paid).toMatchObject({ status: 'paid', due: '0.00' });
  expect(paid.payments).toHaveLength(1);
  const again = await office.portal.spvctl('invoice', 'pay', due?.number ?? '', '--amount', '1', '--yes');
  expect(again.code).toBe(1);
});

test('client submits a bank receipt, and staff record the payment from it', async ({ office }) => {
  const who = office.newPerson('Rosa', 'Hale');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const rosa = await office.person(who.email);
  const { items } = await rosa.api.get<Invoices>('/rest/v1/invoices');
  const { id, number } = items[0] ?? { id: '', number: '' };
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/invoices/${id}`);

  await rosa.open(`/client-dashboard/billing/${id}`);
  const place = rosa.page.getByRole('group', { name: `Receipt for ${number}`, exact: true });
  const receipt = { name: 'transfer.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 paid') };
  // The file is uploaded but not attached; it is kept.
  rosa.allowError(/503/);
  await rosa.page.route('**/rest/v1/invoices/*/receipts', (route) => route.fulfill({ status: 503 }), {
    times: 1,
  });
  await place.locator('input[type="file"]').first().setInputFiles(receipt);
  await expect(place.getByRole('list', { name: 'Uploads' })).toContainText('Uploaded but not submitted.', {
    timeout: 30_000,
  });
  await rosa.expectErrorToast('Error');
  // It survives a reload too.
  await rosa.open(`/client-dashboard/billing/${id}`);
  await expect(place.getByRole('list', { name: 'Uploads' })).toContainText(
    'Uploaded but not submitted. You left the page before it finished.',
  );
  await rosa.button('Submit again: transfer.pdf').click();
  await rosa.expectToast('Receipt sent', number);
  await rosa.expectPath(`/client-dashboard/billing/${id}`);
  const hers = rosa.page.getByRole('list', { name: 'Payment receipts' });
  await expect(hers).toContainText('transfer.pdf');
  await rosa.page.reload();
  await expect(hers).toContainText('transfer.pdf');
  await expect(place.getByRole('list', { name: 'Uploads' })).toHaveCount(0);
  // A receipt is proof, not a payment.
  await expect(rosa.page.getByRole('article', { name: `Invoice ${number}` })).toContainText('Due');

  await elias.withoutReload(async () => {
    const theirs = elias.page.getByRole('list', { name: 'Payment receipts' });
    await expect(theirs).toContainText('transfer.pdf');
    await expect(theirs).toContainText(who.name);
    await expect(elias.button('Preview transfer.pdf, version 1', theirs)).toBeVisible();
    await elias.button('Record payment for this receipt').click();
    const dialog = elias.dialog(`Record a payment for ${number}`);
    await expect(dialog.getByRole('textbox', { name: 'Amount', exact: true })).toHaveValue('');
    await elias.fillFields({ Amount: '1250', 'Confirm amount': '1250.00' }, dialog);
    await elias.button('Record payment', dialog).click();
    await elias.expectToast('Payment recorded', number);
  });
  await expect(place).toHaveCount(0);
  await expect(hers).toContainText('transfer.pdf');
  await rosa.open('/client-dashboard/documents');
  await expect(rosa.row('transfer.pdf')).toBeVisible();
});

/** Mean brightness, 0 (black) to 255 (white). */
function brightness(colour: string): number {
  return Math.max(...(colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));
}

/** Number of pages of a PDF by its page objects. */
function pages(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

test('most overdue invoice is two clicks from the dashboard', async ({ office }) => {
  const elias = await office.employee();
  const { items } = await elias.api.get<{ items: { number: string; due_date: string }[] }>(
    '/rest/v1/invoices?due=overdue&limit=200',
  );
  const oldest = items.toSorted((a, b) => a.due_date.localeCompare(b.due_date))[0];
  await elias.open(paths.employeeDashboard);
  await elias.page
    .getByRole('navigation')
    .getByRole('link', { name: /^Invoices/ })
    .first()
    .click();
  await elias.page.getByRole('link', { name: /^Overdue/ }).click();
  const first = elias.page.getByRole('table', { name: 'Invoices' }).getByRole('row').nth(1);
  await expect(first).toContainText('Overdue');
  await expect.poll(() => first.innerText()).toContain(oldest?.number ?? 'an overdue invoice');
});
