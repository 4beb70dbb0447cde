/** Company finances and reports: the same amounts as the partner sees, on every page and in every file. */
import { readFile } from 'node:fs/promises';
import { expect, test } from './support/fixtures';

interface Orders {
  items: { id: string; identifier: string; company_id: string }[];
}
interface Figures {
  spvs: number;
  ordered: string;
  invoiced: string;
  paid: string;
  commission: string;
}
interface Finances {
  accounts: {
    currency: string;
    total: Figures;
    partners: { name: string | null; figures: Figures }[];
  }[];
}
interface Overview {
  items: { id: string }[];
}
interface Statement {
  sums: { currency: string; total: string }[];
}

const cents = (amount: string) => Math.round(Number(amount) * 100);
const dollars = (amount: string) =>
  Number(amount).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

test('ISO partner and company see the same amounts for a paid order', async ({ office }) => {
  const clara = await office.companyAdmin();
  const [ingrid, elias] = [await office.iso(), await office.employee()];
  const finances = async () => {
    const found = await clara.api.get<Finances>('/rest/v1/finances?period=all_time');
    const usd = found.accounts.find(({ currency }) => currency === 'USD');
    const partner = usd?.partners.find(({ name }) => name === 'Ingrid Solberg')?.figures;
    if (!usd || !partner) throw new Error('the demo company has no figures');
    return { total: usd.total, partner };
  };
  const before = await finances();
  // Kept open to test live updates.
  await clara.open('/company-dashboard/finances?period=all_time');
  const totals = clara.page.getByRole('region', { name: 'In USD' });
  await expect(totals).toContainText(dollars(before.total.ordered));

  const who = office.newPerson('Lukas', 'Berger');
  const lead = await ingrid.api.post<{ id: string }>('/rest/v1/leads', {
    first_name: who.first,
    last_name: who.last,
    email: who.email,
  });
  await elias.api.post(`/rest/v1/leads/${lead.id}/convert`, { price: '8000', commission: '765.43' });
  const { items } = await elias.api.get<Orders>(`/rest/v1/spvs?q=${who.last}`);
  const { id = '', identifier = '' } = items[0] ?? {};
  const { steps } = await elias.api.get<{ steps: { id: string }[] }>(`/rest/v1/spvs/${id}`);
  await elias.api.post(`/rest/v1/spvs/${id}/steps/complete`, { ids: steps.map((step) => step.id) });
  const invoices = await elias.api.get<Overview>(`/rest/v1/invoices?spv_id=${id}`);
  await elias.api.post(`/rest/v1/invoices/${invoices.items[0]?.id}/payments`, {
    amount: '3000.50',
    amount_again: '3000.50',
  });
  const earned = await elias.api.get<Overview>(`/rest/v1/commissions?spv_id=${id}`);
  await elias.api.post('/rest/v1/commissions/approve', { ids: earned.items.map((row) => row.id) });
  const run = await elias.api.post<{ id: string }>('/rest/v1/payout-runs', {});
  await elias.api.post(`/rest/v1/payout-runs/${run.id}/pay`, {});

  const after = await finances();
  const grown = (name: Exclude<keyof Figures, 'spvs'>, of: 'total' | 'partner') =>
    cents(after[of][name]) - cents(before[of][name]);
  for (const of of ['total', 'partner'] as const) {
    expect([grown('ordered', of), grown('invoiced', of), grown('paid', of), grown('commission', of)]).toEqual(
      [800_000, 800_000, 300_050, 76_543],
    );
  }
  // Updated live through the event stream.
  await expect(totals).toContainText(dollars(after.total.paid));
  await expect(totals).toContainText(dollars(after.total.ordered));

  // The partner statement equals the row of the partner in the company finances.
  const statement = await ingrid.api.get<Statement>(
    '/rest/v1/commissions/statement?from=2000-01-01&to=2100-12-31',
  );
  const theirs = statement.sums.find(({ currency }) => currency === 'USD')?.total;
  expect(after.partner.commission).toBe(theirs);

  // All rows of the file summed.
  const [file] = await Promise.all([clara.page.waitForEvent('download'), clara.button('Export CSV').click()]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1);
  const sum = (column: number) =>
    lines
      .map((line) => line.split(','))
      .filter((cells) => cells[3] === 'USD')
      .reduce((all, cells) => all + cents(cells[column] ?? '0'), 0);
  expect([sum(5), sum(6), sum(7), sum(8)]).toEqual(
    [after.total.ordered, after.total.invoiced, after.total.paid, after.total.commission].map(cents),
  );

  // Commission report on the screen, as CSV and as xlsx.
  await clara.open('/company-dashboard/reports?report=commissions&period=all_time');
  const paper = clara.page.getByRole('article', { name: 'Commissions' });
  await expect(paper).toContainText(dollars(after.total.commission));
  const row = paper.getByRole('row', { name: new RegExp(identifier) });
  await expect(row).toContainText('$765.43');
  await expect(row).toContainText('Paid');
  // Figures have an info tooltip on how they are counted.
  const explained = paper.getByRole('columnheader', { name: /^Amount/ }).getByRole('button');
  await expect(explained).toHaveAccessibleName('About Amount');
  await expect(explained).toHaveAccessibleDescription(/^The order's commission\./);
  await expect(clara.button('About Rows', paper)).toHaveAccessibleDescription(
    /^All rows of the report, including those/,
  );
  const [book] = await Promise.all([clara.page.waitForEvent('download'), clara.button('Excel').click()]);
  expect(book.suggestedFilename()).toMatch(/^commissions-.*\.xlsx$/);
  expect((await readFile(await book.path())).subarray(0, 2).toString()).toBe('PK');
  await clara.open('/company-dashboard/reports?report=portfolio&period=all_time');
  const portfolio = clara.page.getByRole('article', { name: 'Portfolio' });
  await expect(portfolio.getByRole('row', { name: new RegExp(identifier) })).toContainText('$3,000.50');
  await expect(portfolio).toContainText(dollars(after.total.ordered));

  // Order analytics follow the chosen sorting.
  await clara.open('/company-dashboard/spv');
  const list = clara.page.getByRole('table', { name: 'All SPVs', exact: true });
  for (const [header, order] of [
    ['Amount', '-amount'],
    ['Amount', 'amount'],
    ['Ordered date', '-ordered_date'],
  ] as const) {
    await list.getByRole('button', { name: header, exact: true }).click();
    await clara.expectPath(`/company-dashboard/spv?sort=${order}`);
    const sorted = await clara.api.get<Orders>(`/rest/v1/spvs?order=${order}&limit=1`);
    await expect(list.getByRole('row').nth(1)).toContainText(sorted.items[0]?.identifier ?? 'an order');
  }
});

test('charts have text alternatives, and reports are mailed on schedule', async ({ office }) => {
  const clara = await office.companyAdmin();
  await clara.open('/company-dashboard/analytics?period=all_time');
  for (const name of ['Orders over time', 'Time per step', 'On time', 'By country', 'By status'])
    await expect(clara.page.getByRole('table', { name, exact: true })).toBeVisible();
  const { total } = await clara.api.get<{ total: number }>('/rest/v1/analytics?period=all_time');
  await expect(clara.card('Placed')).toContainText(String(total));
  const funnel = clara.page.getByRole('table', { name: 'By status' });
  await expect(funnel.getByRole('row', { name: /^Total/ })).toContainText(String(total));

  await clara.open('/company-dashboard/reports');
  await clara.button('Schedule report').click();
  const dialog = clara.dialog('Schedule report');
  for (const admin of await dialog.getByRole('checkbox').all()) await admin.uncheck();
  await clara.button('Save', dialog).click();
  await clara.expectErrorToast('Missing Information');
  await dialog.getByLabel('Clara Voss').check();
  await clara.button('Save', dialog).click();
  await clara.expectToast('Schedule saved', /^Next email on /);
  const mailed = clara.page.getByRole('table', { name: 'Scheduled reports' });
  await expect(mailed.getByRole('row', { name: /Portfolio/ }).first()).toContainText('Every Monday');
});

test('printed report contains only the report', async ({ office }) => {
  const clara = await office.companyAdmin();
  await clara.open('/company-dashboard/reports?report=portfolio&period=all_time');
  const paper = clara.page.getByRole('article', { name: 'Portfolio' });
  const ofTheScreen = [
    clara.page.getByRole('navigation', { name: 'Main navigation' }),
    clara.page.getByRole('button', { name: /^Account menu of/ }),
    clara.button('Excel'),
    clara.button('Print'),
    clara.button('Schedule report'),
    paper.getByRole('button', { name: /^About / }),
  ];
  for (const part of ofTheScreen) await expect(part).not.toHaveCount(0);

  await clara.page.emulateMedia({ colorScheme: 'dark' });
  await expect(clara.page.locator('body')).not.toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await clara.page.emulateMedia({ media: 'print' });
  // Print uses the light scheme from the dark one too.
  await expect(clara.page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(clara.page.locator('body')).toHaveCSS('color', 'rgb(29, 34, 41)');
  for (const part of ofTheScreen) await expect(part).toHaveCount(0);
  // Paper does not scroll.
  await expect(paper.locator('.side-scroll').first()).toHaveCSS('overflow-x', 'visible');
  await expect(paper.getByRole('heading', { name: 'Portfolio' })).toBeVisible();
  // Skip the header row; the last row has the totals.
  await expect(paper.getByRole('row').nth(1)).toBeVisible();
  await expect(paper.getByRole('definition').first()).toContainText('$');
});
