/** Administration by super admins: server status, settings and activity log. */
import { readFile } from 'node:fs/promises';
import { expect, test } from './support/fixtures';

test('super admin changes settings and finds every change in the activity log', async ({
  ownOffice: office,
}) => {
  const sigrid = await office.superAdmin();
  await sigrid.open('/admin-dashboard');
  await expect(sigrid.heading('Super admin dashboard')).toBeVisible();
  await sigrid.button('Check now').click();
  const status = sigrid.page.getByRole('region', { name: 'Server status' });
  for (const part of ['Web Server', 'Database', 'API Gateway', 'File Storage', 'Email', 'Queue']) {
    await expect(status.getByRole('listitem', { name: part, exact: true })).toContainText('Online');
  }

  await sigrid.button('Security Scan').click();
  const scan = sigrid.page.getByRole('region', { name: 'Security Scan' });
  await expect(scan.getByRole('listitem', { name: 'Demo sign-ins' })).toContainText('Turn SPV_DEMO off');
  await scan.getByRole('button', { name: /^Show \d+ passed checks$/ }).click();
  await expect(scan.getByRole('listitem', { name: 'Activity log' })).toContainText('log entries are intact');

  await sigrid.button('Backup System').click();
  await sigrid.expectToast('Backup completed');
  await sigrid.link('All backups').click();
  await sigrid.expectPath('/admin-dashboard/backups');
  const backups = sigrid.page.getByRole('table', { name: 'Latest backups' });
  await expect(backups.getByRole('row', { name: /Sigrid Aalto/ })).toContainText('Completed');

  const side = sigrid.page.getByRole('navigation', { name: 'Main navigation' });
  // The number of pending requests may follow.
  await expect(side.getByRole('link', { name: /^Requests/ })).toHaveAttribute('href', '/request-management');
  await sigrid.link('System Settings', side).click();
  await sigrid.expectPath('/admin-dashboard/settings');
  const storage = sigrid.page.locator('#storage');
  await expect(storage).not.toBeInViewport();
  await sigrid
    .link('Storage and retention', sigrid.page.getByRole('navigation', { name: 'Sections' }))
    .click();
  await expect(storage).toBeInViewport();
  await expect(storage).toBeFocused();
  const card = (name: string) => sigrid.page.getByRole('form', { name });
  await sigrid.fillFields({ Sender: 'nobody' }, card('Email'));
  await sigrid.button('Save', card('Email')).click();
  await sigrid.expectFieldError(
    'Sender',
    'Enter an address, or a name and an address: Office <office@example.com>.',
  );
  await sigrid.fillFields({ Sender: 'Northern Formations <office@example.com>' }, card('Email'));
  await sigrid.button('Save', card('Email')).click();
  await sigrid.expectToast('Settings Saved');
  await sigrid.button('Send test email', card('Email')).click();
  await expect(card('Email').getByRole('status').filter({ hasText: /./ })).toHaveText(
    'Test email sent to super@example.com (unencrypted).',
  );
  await sigrid.fillFields({ Name: 'Northern Formations' }, card('Brand'));
  await sigrid.button('Save', card('Brand')).click();
  await expect(sigrid.link('Northern Formations')).toBeVisible();

  await sigrid.open('/admin-dashboard/logs?what=settings&who=super%40example.com');
  const entries = sigrid.page.getByRole('table', { name: 'Entries' });
  await expect(entries.getByText('Sigrid Aalto updated the settings')).toHaveCount(2);
  // A concurrent change arrives while the page is open.
  await sigrid.open('/admin-dashboard/logs?what=settings');
  // The demo entries and the two created before.
  await expect(entries.getByText('updated the settings')).toHaveCount(3);
  await office.portal.operator('settings', 'set', 'support_phone', '+1 555 0199');
  await expect(entries.getByText('updated the settings')).toHaveCount(4);
  await entries
    .getByRole('button', { name: /^Details of entry/ })
    .first()
    .click();
  const changes = sigrid.page.getByRole('table', { name: 'Changes' });
  await expect(changes.getByRole('row', { name: /support_phone/ })).toContainText('+1 555 0199');

  // Rules are saved one by one; unset rules keep their default.
  await sigrid.open('/admin-dashboard/security-settings');
  await sigrid.page
    .getByRole('switch', { name: 'Require two-factor authentication for Client', exact: true })
    .press('Space');
  await sigrid.expectToast('Settings Saved');
  await sigrid.fillFields({ 'Minimum password length': '12' }, card('Sessions and passwords'));
  const saved = sigrid.page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().endsWith('/rest/v1/settings'),
  );
  await sigrid.button('Save', card('Sessions and passwords')).click();
  expect((await saved).request().headers()['if-match']).toMatch(/^"\d+"$/);
  await expect(sigrid.button('Save', card('Sessions and passwords'))).toBeDisabled();
  const { security, system } = await (await office.api()).get<Rules>('/rest/v1/settings');
  expect(security).toMatchObject({ password_min_length: 12, session_idle_hours: null });
  expect(system.require_mfa).toMatchObject({ client: true, employee: null, super_admin: null });
});

interface Rules {
  security: Record<string, number | null>;
  system: { require_mfa: Record<string, boolean | null> };
}

test('holiday is added, listed and removed, and a day of the table corrected', async ({
  ownOffice: office,
}) => {
  const sigrid = await office.superAdmin();
  await sigrid.open('/admin-dashboard/settings');
  const holidays = sigrid.card('Public holidays');
  await sigrid.choose('Country', 'Singapore', holidays);
  await sigrid.choose('Year', '2027', holidays);
  const days = holidays.getByRole('list', { name: 'Public holidays' }).getByRole('listitem');
  await holidays.getByRole('button', { name: 'holidays in 2027' }).click();
  await expect(days.filter({ hasText: 'Jan 1, 2027' })).toBeVisible();
  const before = await days.count();

  await sigrid.button('Add holiday', holidays).click();
  const dialog = sigrid.dialog('Add holiday · Singapore');
  await sigrid.button('Add holiday', dialog).click();
  await sigrid.expectErrorToast('Missing Information', 'Please fill in all required fields');
  for (const label of ['Day', 'Name']) {
    await sigrid.expectFieldError(label, 'Please fill in this field.', dialog);
  }
  await sigrid.fillFields({ Day: 'Mar 15, 2027', Name: 'Polling day' }, dialog);
  await sigrid.button('Add holiday', dialog).click();
  await sigrid.expectToast('Holiday added', 'Mar 15, 2027');
  await expect(dialog).toBeHidden();

  const added = days.filter({ hasText: 'Polling day' });
  await expect(added).toContainText('Mar 15, 2027');
  await expect(added).toContainText('Added');
  await expect(days).toHaveCount(before + 1);
  // In its country and year alone.
  await sigrid.choose('Year', '2028', holidays);
  await expect(added).toHaveCount(0);
  await sigrid.choose('Year', '2027', holidays);
  await sigrid.choose('Country', 'Japan', holidays);
  await expect(days.first()).toBeVisible();
  await expect(added).toHaveCount(0);
  await sigrid.choose('Country', 'Singapore', holidays);

  await sigrid.button('Remove Mar 15, 2027', holidays).click();
  await sigrid.expectToast('Holiday removed', 'Mar 15, 2027');
  await expect(added).toHaveCount(0);
  await expect(days).toHaveCount(before);

  // A day of the table becomes a business day, and a holiday again.
  const newYear = days.filter({ hasText: 'Jan 1, 2027' });
  await sigrid.button('Mark as business day: Jan 1, 2027', holidays).click();
  await sigrid.expectToast('Marked as a business day', 'Jan 1, 2027');
  await expect(newYear).toContainText('Business day');
  await sigrid.button('Restore the holiday on Jan 1, 2027', holidays).click();
  await sigrid.expectToast('Holiday restored', 'Jan 1, 2027');
  await expect(newYear).toContainText("New Year's Day");
});

test('office analytics separate currencies and show step durations by month', async ({
  ownOffice: office,
}) => {
  const sigrid = await office.superAdmin();
  const company = await office.company('Rhein Capital');
  const who = office.newPerson('Okan', 'Yildiz');
  await sigrid.api.post('/rest/v1/clients', {
    setup: 'quick',
    first_name: who.first,
    last_name: who.last,
    email: who.email,
    company_id: company.id,
    price: '99.90',
    currency: 'EUR',
    country: 'JP',
  });
  await sigrid.open('/admin-dashboard/analytics?period=all_time');
  const table = (name: string) => sigrid.page.getByRole('table', { name, exact: true });
  const theirs = table('By company').getByRole('row', { name: /Rhein Capital/ });
  await expect(theirs).toContainText('€99.90');
  await expect(theirs).toContainText('$0.00');
  await expect(table('By country').getByRole('row', { name: /Japan/ })).toContainText('€99.90');
  await expect(table('Step times over time').getByRole('row', { name: /^Total/ })).toContainText(' d');
  await sigrid.showTable('By company');
  const [file] = await Promise.all([
    sigrid.page.waitForEvent('download'),
    sigrid.button('Download “By company” as CSV').click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toContain('Revenue in USD,Revenue in EUR');
  expect(lines).toContain('Rhein Capital,1,0,99.90');
});
