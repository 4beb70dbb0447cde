/** Four eyes: a payout and the rule itself wait for a second super admin. */
import { paths } from '../src/paths';
import { axeViolations } from './support/pageChecks';
import { expect, test, withServer } from './support/fixtures';

test('payout and a change of the rule wait until another super admin approves @postgres', async ({
  browser,
}) => {
  test.slow();
  // The rule holds for the whole office.
  await withServer(browser, { demo: true }, async (office) => {
    const second = office.newPerson('Petra', 'Lind');
    const api = await office.api();
    await api.post('/rest/v1/users', {
      first_name: second.first,
      last_name: second.last,
      email: second.email,
      role: 'super_admin',
    });
    await office.setPassword(second.email);
    const [sam, petra] = [await office.superAdmin(), await office.staff(second.email)];

    await sam.open(paths.adminSettings);
    const card = sam.card('Four eyes');
    await card.getByRole('switch', { name: 'A second super admin approves' }).check();
    await sam.fillFields({ 'Payout limit': '1' }, card);
    await sam.button('Save', card).click();
    await sam.expectToast('Settings Saved');

    await sam.open(paths.employeePayouts);
    await sam.button('Open payout run').click();
    await sam
      .dialog('Open payout run')
      .getByRole('button', { name: /^Open run of / })
      .click();
    await sam.expectToast('Payout run opened', /^PAY-/);
    const name = (await sam.row(/PAY-.*Open/, 'Runs').textContent())?.match(/PAY-\d+-\d+/)?.[0] ?? '';
    await sam.chooseRowAction('Record as paid', name);
    await sam
      .dialog(`Record ${name} as paid`)
      .getByRole('button', { name: /^Record .* as paid$/ })
      .click();
    await sam.expectToast('Waiting for a second super admin');
    await expect(sam.row(name, 'Runs')).toContainText('Open');

    // Not by the person who asked, and declined with a reason.
    await sam.open(paths.adminApprovals);
    const own = sam.row(name, 'Requested actions');
    await expect(own.getByRole('button', { name: /^Withdraw/ })).toBeVisible();
    await expect(own.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
    await sam.open(paths.employeePayouts);
    await expect(sam.row(name, 'Runs')).toContainText('Waiting for a second super admin');

    const elias = await office.employee();
    await elias.open(paths.employeePayouts);
    await expect(elias.row(name, 'Runs')).toContainText('Waiting for a super admin');
    await elias.row(name, 'Runs').getByRole('link').first().click();
    await expect(elias.heading(name)).toBeVisible();
    await expect(elias.page.getByRole('button', { name: /^Record .* as paid$/ })).toHaveCount(0);

    await petra.open(paths.employeePayouts);
    await expect(petra.row(name, 'Runs')).toContainText('Waiting for your approval');
    await petra.open(paths.adminApprovals);
    expect(await axeViolations(petra.page)).toEqual([]);
    await petra
      .row(name, 'Requested actions')
      .getByRole('button', { name: /^Approve/ })
      .click();
    const dialog = petra.dialog('Approve this?');
    await expect(dialog).toContainText(name);
    await petra.button('Approve', dialog).click();
    await petra.expectToast('Approved');
    await petra.open(paths.employeePayouts);
    await expect(petra.row(name, 'Runs')).toContainText('Paid');

    // One person cannot switch it off.
    await sam.open(paths.adminSettings);
    await card.getByRole('switch', { name: 'A second super admin approves' }).uncheck();
    await sam.button('Save', card).click();
    await sam.expectToast('Waiting for a second super admin');
    await petra.open(paths.adminApprovals);
    await petra
      .row('Change the setting', 'Requested actions')
      .getByRole('button', { name: /^Decline/ })
      .click();
    const declining = petra.dialog('Decline this?');
    await petra.fillFields({ Reason: 'We keep it.' }, declining);
    await petra.button('Decline', declining).click();
    await petra.expectToast('Declined');
    await expect(sam.page.getByText('Waiting for a second super admin')).toHaveCount(0);
    await expect(card.getByRole('switch', { name: 'A second super admin approves' })).toBeChecked();
  });
});
