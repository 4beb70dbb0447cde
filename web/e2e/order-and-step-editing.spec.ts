/** Orders and steps: editing in the SPV tab. */
import { expect, test } from './support/fixtures';
import { escapeRegExp } from './support/users';
import { password } from './support/portal';

const missing = 'Please fill in this field.';

test('employee creates an order with a generated or own identifier', async ({ office }) => {
  const client = office.newPerson('Hana', 'Sato');
  const company = await office.company(office.uniqueName('Pier Nine'));
  await office.clientWithOrder(client, company.id);
  const partner = office.newPerson('Nils', 'Berg');
  await office.portal.operator(
    ...['iso', 'create', '--first-name', partner.first, '--last-name', partner.last],
    ...['--email', partner.email, '--company', company.name],
  );
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=spvs');
  await elias.button('Create SPV Order').click();
  const dialog = elias.dialog('Create SPV Order');

  // Partner and client lists depend on the company.
  await expect(elias.field('ISO', dialog)).toBeDisabled();
  await expect(elias.field('Client', dialog)).toBeDisabled();
  await elias.button('Create order', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  for (const label of ['Company', 'ISO', 'Client', 'Purchase amount']) {
    await elias.expectFieldError(label, missing, dialog);
  }

  // Missing and invalid fields are reported together.
  await elias.pickFromSearch('Company', company.name, dialog);
  await elias.fillFields({ 'Purchase amount': '-1' }, dialog);
  await elias.button('Create order', dialog).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.expectFieldError('Purchase amount', 'Must be zero or more.', dialog);
  for (const label of ['ISO', 'Client']) await elias.expectFieldError(label, missing, dialog);
  await expect(elias.field('Company', dialog)).not.toHaveAccessibleDescription(missing);
  await expect(elias.field('ISO', dialog)).toBeFocused();

  await elias.pickFromSearch('ISO', partner.name, dialog);
  await elias.pickFromSearch('Client', `${client.name} (${client.email})`, dialog);
  await elias.fillFields({ 'ISO commission (%)': '101' }, dialog);
  await elias.button('Create order', dialog).click();
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('Purchase amount', 'Must be zero or more.', dialog);
  await elias.expectFieldError('ISO commission (%)', 'Must be at most 100 percent.', dialog);

  await elias.fillFields({ 'Purchase amount': '1,250,000.50', 'ISO commission (%)': '2.5' }, dialog);
  await elias.button('Create order', dialog).click();
  await elias.expectToast('SPV Created', /^SPV-\d{14}(-\d+)?$/);
  await expect(dialog).toBeHidden();
  const made = elias.page.getByRole('heading', { name: /^SPV-\d{14}/ });
  await expect(made).toBeVisible();
  const identifier = await made.innerText();
  const item = elias.order(identifier);
  await expect(item).toContainText(client.name);
  await expect(item).toContainText(company.name);
  await expect(item).toContainText('Pending');
  await expect(item).toContainText('$1,250,000.50');
  await expect(item).toContainText('2.5%');
  await expect(elias.steps().getByRole('listitem').first()).toBeVisible();

  const own = office.uniqueName('Pier Nine Vehicle');
  for (const [typed, fresh] of [
    [own, true],
    [own.toUpperCase(), false],
  ] as const) {
    await elias.button('Create SPV Order').click();
    await elias.pickFromSearch('Company', company.name, dialog);
    await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
    await expect(elias.field('ISO commission (%)', dialog)).toHaveCount(0);
    await elias.pickFromSearch('Client', `${client.name} (${client.email})`, dialog);
    await elias.fillFields({ 'Purchase amount': '10', 'Custom identifier': typed }, dialog);
    await elias.choose('Country', 'Singapore', dialog);
    await elias.button('Create order', dialog).click();
    if (fresh) {
      await elias.expectToast('SPV Created', own);
      await expect(dialog).toBeHidden();
    } else {
      await elias.expectErrorToast('Error', /Already in use\. Choose another\.$/);
      await elias.expectFieldError('Custom identifier', 'Already in use. Choose another.', dialog);
    }
  }
});

test('client who changed company while the form was open is rejected at the field', async ({ office }) => {
  const who = office.newPerson('Moa', 'Vik');
  const [from, to] = [await office.company(), await office.company()];
  const { client } = await office.clientWithOrder(who, from.id);
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=spvs');
  await elias.button('Create SPV Order').click();
  const dialog = elias.dialog('Create SPV Order');
  const choosesFrom = async (company: string) => {
    await elias.pickFromSearch('Company', company, dialog);
    await elias.pickFromSearch('ISO', 'No ISO partner', dialog);
    await elias.pickFromSearch('Client', `${who.name} (${who.email})`, dialog);
  };
  await choosesFrom(from.name);
  await elias.fillFields({ 'Purchase amount': '500' }, dialog);
  await elias.api.patch(`/rest/v1/clients/${client.id}`, { company_id: to.id });
  await elias.button('Create order', dialog).click();
  const elsewhere = 'Does not belong to the chosen company.';
  await elias.expectErrorToast('Error', `Client: ${elsewhere}`);
  await elias.expectFieldError('Client', elsewhere, dialog);
  await expect(elias.field('Purchase amount', dialog)).toHaveValue('500.00');

  await choosesFrom(to.name);
  await elias.button('Create order', dialog).click();
  await elias.expectToast('SPV Created');
});

test('order list scrolls at 600 px, newest first', async ({ office }) => {
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=spvs');
  const list = elias.page.getByRole('region', { name: 'SPV orders', exact: true });
  await expect(list.getByRole('button').first()).toBeVisible();
  const size = await list.evaluate((element) => ({
    shown: element.clientHeight,
    whole: element.scrollHeight,
  }));
  expect(size.shown).toBeLessThanOrEqual(600);
  expect(size.shown).toBeGreaterThan(590);
  // Ten rows on the dashboard.
  expect(size.whole).toBeGreaterThan(700);

  // By keyboard too: the list is focusable and scrolls to the last order.
  await list.focus();
  await elias.page.keyboard.press('End');
  await expect(list.getByRole('listitem').last()).toBeInViewport();

  const api = await office.api();
  const { items } = await api.get<{ items: { identifier: string; ordered_date: string }[] }>('/rest/v1/spvs');
  const dates = items.map((order) => order.ordered_date);
  expect(dates).toEqual(dates.toSorted().toReversed());
  await elias.page.keyboard.press('Home');
  await expect(list.getByRole('button').first()).toContainText(items[0]?.identifier ?? 'an order');
});

test('step is started, blocked with a reason the client sees, and unblocked', async ({ office }) => {
  const who = office.newPerson('Lars', 'Nyberg');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const { steps } = await (
    await office.api()
  ).get<{ steps: { step_name: string; owner: string }[] }>(`/rest/v1/spvs/${spv.id}`);
  const [first, second] = steps.map((step) => step.step_name) as [string, string];
  const elias = await office.employee();
  await elias.openOrder(spv.id);
  const dialog = elias.dialog('Edit SPV Step');

  await elias.setStepStatus(first, 'In progress', { Notes: 'Called the registrar at noon' });
  await elias.expectToast('Step Updated');
  await expect(elias.step(first)).toContainText('In progress');
  await expect(elias.step(first)).toContainText('Called the registrar at noon');

  await elias.setStepStatus(first, 'Completed', { 'Document URL': 'http://example.com/filing.pdf' });
  await elias.expectErrorToast('Error');
  await elias.expectFieldError('Document URL', 'Enter a link that starts with https://.', dialog);
  await elias.fillFields({ 'Document URL': 'https://example.com/filing.pdf' }, dialog);
  await elias.button('Save', dialog).click();
  await elias.expectToast('Step Updated');
  await expect(elias.step(first)).toContainText(/Completed [A-Z][a-z]{2} \d/);
  await expect(elias.link('Document', elias.step(first))).toHaveAttribute(
    'href',
    'https://example.com/filing.pdf',
  );

  await elias.setStepStatus(second, 'Blocked', { 'Document URL': 'example.com/filing.pdf' });
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.expectFieldError('Why is it blocked?', missing, dialog);
  await elias.expectFieldError('Waiting for', missing, dialog);
  await elias.expectFieldError('Document URL', 'Enter a link that starts with https://.', dialog);
  await elias.fillFields({ 'Why is it blocked?': 'The passport has expired.', 'Document URL': '' }, dialog);
  await elias.choose('Waiting for', 'The client', dialog);
  await elias.button('Save', dialog).click();
  await elias.expectToast('Step Updated');
  await expect(elias.step(second)).toContainText('The passport has expired. Waiting for the client.');

  const lars = await office.visitor();
  await lars.signIn('client', who.email, password);
  await lars.page
    .getByRole('link', { name: new RegExp(`^View Details of ${escapeRegExp(spv.identifier)}$`) })
    .click();
  const tasks = lars.card('Your tasks');
  await expect(tasks).toContainText(`Answer: ${second}`);
  await expect(tasks).toContainText('The passport has expired.');
  await expect(lars.page.getByText('The passport has expired.')).toHaveCount(1);
  await expect(lars.page.getByText('Called the registrar at noon')).toHaveCount(0);
  await expect(lars.page.getByRole('progressbar')).toHaveAttribute(
    'aria-valuenow',
    String(Math.round(100 / steps.length)),
  );

  await elias.setStepStatus(second, 'In progress');
  await elias.expectToast('Step Updated');
  await expect(elias.step(second)).not.toContainText('passport');
});

test('order is put on hold with a reason, resumed, cancelled, and reopened by a super admin', async ({
  office,
}) => {
  const { spv } = await office.clientWithOrder(office.newPerson('Mina', 'Park'));
  const elias = await office.employee();
  await elias.openOrder(spv.id);
  const changed = (status: string) => ['SPV Status Updated', `SPV status changed to ${status}`] as const;

  await elias.chooseOrderAction('Put on hold', spv.identifier);
  const hold = elias.dialog(`Put ${spv.identifier} on hold`);
  await elias.button('Put on hold', hold).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await elias.expectFieldError('Reason', missing, hold);
  await elias.fillFields({ Reason: 'The bank asks for more time' }, hold);
  await elias.button('Put on hold', hold).click();
  await elias.expectToast(...changed('On hold'));
  await expect(elias.page.getByText('Reason: The bank asks for more time')).toBeVisible();
  // Orders on hold are read-only.
  await expect(elias.page.getByRole('button', { name: /^Edit / })).toHaveCount(0);

  await elias.chooseOrderAction('Resume', spv.identifier);
  await elias.expectToast(...changed('Active'));
  await elias.chooseOrderAction('Cancel order', spv.identifier);
  const cancel = elias.dialog(`Cancel ${spv.identifier}`);
  await elias.fillFields({ Reason: 'The client withdrew' }, cancel);
  await elias.button('Cancel order', cancel).click();
  await elias.expectToast(...changed('Cancelled'));
  await expect(elias.page.getByRole('button', { name: /^Status of SPV/ })).toHaveCount(0);

  const sigrid = await office.superAdmin();
  await sigrid.openOrder(spv.id);
  await sigrid.chooseOrderAction('Reopen', spv.identifier);
  const reopen = sigrid.dialog(`Reopen ${spv.identifier}`);
  await sigrid.fillFields({ Reason: 'They came back' }, reopen);
  await sigrid.button('Reopen', reopen).click();
  await sigrid.expectToast(...changed('Active'));
  await expect(sigrid.button('Start Processing')).toBeDisabled();
});
