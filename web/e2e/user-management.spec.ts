/** User management: invite, find, suspend, archive and impersonate. */
import { expect, test } from './support/fixtures';

test('super admin invites, finds and immediately locks out a user', async ({ office }) => {
  const sigrid = await office.superAdmin();
  const { page } = sigrid;
  await sigrid.open('/admin-dashboard/users');
  await expect(sigrid.heading('User Management')).toBeVisible();
  await expect(sigrid.card('Total users')).toContainText(/\d/);
  await expect(page.getByText(/^1–\d+ of [\d,]+$/)).toBeVisible();

  const nora = office.newPerson('Nora', 'Keel');
  await sigrid.button('Add User').click();
  const dialog = sigrid.dialog('Add User');
  await sigrid.fillFields({ Email: 'nora at example' }, dialog);
  await sigrid.button('Send invitation', dialog).click();
  await sigrid.expectErrorToast('Missing Information');
  for (const label of ['Role', 'First name', 'Last name'])
    await sigrid.expectFieldError(label, 'Please fill in this field.', dialog);
  await sigrid.expectFieldError('Email', 'Enter an email address, for example name@example.com.', dialog);
  await sigrid.choose('Role', 'ISO partner', dialog);
  await sigrid.button('Send invitation', dialog).click();
  await sigrid.expectErrorToast('Missing Information');
  await sigrid.expectFieldError('ISO', 'Please fill in this field.', dialog);
  await sigrid.choose('Role', 'Employee', dialog);
  await sigrid.fillFields({ 'First name': nora.first, 'Last name': nora.last, Email: nora.email }, dialog);
  await sigrid.button('Send invitation', dialog).click();
  await sigrid.expectToast('Invitation sent', `We sent ${nora.email} a link to set a password.`);
  await office.setPassword(nora.email);

  await sigrid.search('Search users', nora.email);
  await expect(sigrid.row(nora.email)).toContainText('Active');
  const person = await office.person(nora.email);
  await person.open('/employee-dashboard');
  await expect(person.heading(/Employee dashboard|Dashboard/).first()).toBeVisible();

  await sigrid.row(nora.email, 'Users').click();
  await sigrid.expectPath(/\/admin-dashboard\/users\/[0-9a-f-]{36}$/);
  await page.getByRole('tab', { name: 'Sign-in history', exact: true }).click();
  await expect(sigrid.row(/Signed in|Password/, 'Sign-in history').first()).toBeVisible();
  await sigrid.button('Actions').click();
  await page.getByRole('menuitem', { name: 'Suspend', exact: true }).click();
  await sigrid.button('Suspend', sigrid.dialog(`Suspend ${nora.name}?`)).click();
  await sigrid.expectToast('User suspended', nora.name);
  await expect(page.getByText('Suspended', { exact: true }).first()).toBeVisible();
  await page.getByRole('tab', { name: 'Activity', exact: true }).click();
  await expect(page.getByRole('tabpanel', { name: 'Activity', exact: true })).toContainText(
    `suspended user ${nora.name}`,
  );
  // Sessions are revoked immediately, not at token expiry.
  await person.expectPath('/');

  await sigrid.button('Actions').click();
  await page.getByRole('menuitem', { name: 'Restore', exact: true }).click();
  await sigrid.expectToast('User restored', nora.name);
  await sigrid.button('Actions').click();
  await page.getByRole('menuitem', { name: 'Change role', exact: true }).click();
  const role = sigrid.dialog(`Change role of ${nora.name}`);
  await sigrid.choose('Role', 'Super admin', role);
  await sigrid.button('Change role', role).click();
  await sigrid.expectToast('Role changed', `${nora.name}: Super admin`);
  await sigrid.link('User Management', sigrid.page.getByRole('navigation', { name: 'Breadcrumb' })).click();
  // Names of users lead to their accounts.
  await sigrid.open('/admin-dashboard/logs?what=user');
  await page
    .getByRole('table', { name: 'Entries' })
    .getByRole('link', { name: 'Sigrid Aalto' })
    .first()
    .click();
  await expect(sigrid.heading('Sigrid Aalto')).toBeVisible();
  await sigrid.open(`/admin-dashboard/users?role=super_admin&sort=name&q=${nora.email}`);
  await expect(sigrid.row(nora.email)).toContainText('Super admin');
});

test('super admin impersonates a client read-only', async ({ office }) => {
  const sigrid = await office.superAdmin();
  const { page } = sigrid;
  const maya = office.newPerson('Maya', 'Quill');
  await office.clientWithOrder(maya);
  await sigrid.open(`/admin-dashboard/users?q=${maya.email}`);
  await sigrid.chooseRowAction('View as user', maya.name);
  const dialog = sigrid.dialog(`View as ${maya.name}`);
  await sigrid.fillFields({ Reason: 'Cannot find the invoice' }, dialog);
  await sigrid.button('View as user', dialog).click();
  await sigrid.expectPath('/client-dashboard');
  const banner = page.getByRole('complementary', { name: 'Viewing as another user', exact: true });
  await expect(banner).toContainText(`Viewing as ${maya.name} (read-only)`);
  await expect(banner).toContainText(/(30|29) minutes left\./);
  await expect(sigrid.button(`Account menu of ${maya.name}`)).toBeVisible();

  await sigrid.open('/client-profile');
  await expect(banner).toBeVisible();
  await sigrid.fillFields({ City: 'Bergen' });
  await sigrid.button('Save Changes').click();
  await sigrid.expectErrorToast(
    'Error',
    "You're viewing as another user, so you can't change anything. Exit this view first.",
  );
  await sigrid.button('Exit', banner).click();
  await sigrid.expectPath(/\/admin-dashboard\/users\/[0-9a-f-]{36}$/);
  await expect(sigrid.heading(maya.name)).toBeVisible();
  await expect(banner).toHaveCount(0);
});

test('maintenance shows a banner to everyone and makes the portal read-only except for super admins', async ({
  office,
}) => {
  const sigrid = await office.superAdmin();
  const { page } = sigrid;
  const elias = await office.employee();
  await sigrid.open('/admin-dashboard/security-settings');
  await expect(sigrid.heading('Security settings')).toBeVisible();
  const network = '203.0.113.0/24';
  await sigrid.button('Block addresses').click();
  await sigrid.fillFields({ 'Address or network': '127.0.0.0/8' }, sigrid.dialog('Block addresses'));
  await sigrid.button('Block addresses', sigrid.dialog('Block addresses')).click();
  await sigrid.expectErrorToast(
    'Error',
    'Your own address is in this network, so blocking it would lock you out.',
  );
  await sigrid.fillFields({ 'Address or network': network }, sigrid.dialog('Block addresses'));
  await sigrid.button('Block addresses', sigrid.dialog('Block addresses')).click();
  await sigrid.expectToast('Blocked', network);
  await sigrid.button(`Unblock ${network}`).click();
  await sigrid.expectToast('Unblocked', network);
  await sigrid.button('Rotate key').click();
  await sigrid.button('Rotate key', sigrid.dialog('Rotate signing key?')).click();
  await sigrid.expectToast('Key rotated');

  await sigrid.button('Start maintenance').click();
  const dialog = sigrid.dialog('System Maintenance');
  await sigrid.fillFields({ Message: 'Back at 18:00 UTC.' }, dialog);
  await sigrid.button('Start maintenance', dialog).click();
  await sigrid.expectToast('Maintenance started');
  try {
    await expect(page.getByText('Maintenance. Back at 18:00 UTC.')).toBeVisible();
    await elias.open('/employee-dashboard?tab=companies');
    await expect(elias.page.getByText('Maintenance. Back at 18:00 UTC.')).toBeVisible();
    await elias.button('Add company').click();
    const form = elias.dialog('Create New Company');
    await elias.fillFields({ Name: 'Kept Out', 'Business Name': 'Kept Out LLC' }, form);
    await elias.page.keyboard.press('Enter');
    await elias.expectErrorToast('Error', /^The portal is under maintenance/);
  } finally {
    await sigrid.button('End maintenance').click();
    await sigrid.expectToast('Maintenance ended');
  }
  await expect(page.getByText('Maintenance. Back at 18:00 UTC.')).toHaveCount(0);
});
