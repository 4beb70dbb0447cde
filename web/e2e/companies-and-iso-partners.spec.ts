/** Companies and ISO partners: create, edit, archive, restore; super admins delete rows without dependents. */
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

const missing = 'Please fill in this field.';

test('employee creates and edits a company', async ({ office }) => {
  const name = office.uniqueName('Lighthouse Capital');
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=companies');
  await elias.button('Add company').click();
  const create = elias.dialog('Create New Company');

  await elias.fillFields({ Name: name, Email: 'nowhere', 'Logo URL': 'http://example.com/logo.png' }, create);
  await elias.button('Create company', create).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  const mistakes = async () => {
    await elias.expectFieldError('Email', 'Enter an email address, for example name@example.com.', create);
    await elias.expectFieldError('Logo URL', 'Enter a link that starts with https://.', create);
  };
  await elias.expectFieldError('Business Name', missing, create);
  await mistakes();

  await elias.fillFields({ 'Business Name': `${name} LLC` }, create);
  await elias.button('Create company', create).click();
  await elias.expectErrorToast('Error');
  await mistakes();

  await elias.fillFields({ Email: 'desk@example.com', 'Logo URL': '', Phone: '+1 555 0142' }, create);
  await elias.button('Create company', create).click();
  await elias.expectToast('Company Created', name);
  await elias.search('Search companies', name);
  const row = elias.row(`${name} LLC`, 'Companies');
  await expect(row).toContainText('desk@example.com');
  await expect(row).toContainText('+1 555 0142');

  await elias.chooseRowAction('Edit', name);
  const edit = elias.dialog('Edit Company');
  await expect(elias.field('Business Name', edit)).toHaveValue(`${name} LLC`);
  await elias.fillFields({ 'Business Name': `${name} Partners LP`, Phone: '' }, edit);
  await elias.button('Save', edit).click();
  await elias.expectToast('Company Updated', name);
  await expect(elias.row(name, 'Companies')).toContainText(`${name} Partners LP`);
  await expect(elias.row(name, 'Companies')).not.toContainText('+1 555 0142');
});

test('archived company is restored with its members by an employee', async ({ office }) => {
  const company = await office.company(office.uniqueName('Old Mill Holdings'));
  const member = office.newPerson('Ruth', 'Mills');
  await office.clientWithOrder(member, company.id);
  await office.setPassword(member.email);
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=companies');
  await elias.search('Search companies', company.name);

  await elias.chooseRowAction('Archive', company.name);
  const question = elias.dialog(`Archive ${company.name}?`);
  await expect(question).toContainText("its users can't sign in until it's restored");
  await elias.button('Archive', question).click();
  await elias.expectToast('Company archived', company.name);
  await expect(elias.page.getByText(`No results for “${company.name}”`)).toBeVisible();

  const ruth = await office.visitor();
  await ruth.signIn('client', member.email, password);
  await ruth.expectErrorToast(
    'Login Failed',
    'This account is suspended or archived. Please contact support.',
  );

  await elias.filterBy('Archived', 'Yes');
  await expect(elias.row(company.name, 'Companies')).toBeVisible();
  await elias.chooseRowAction('Restore', company.name);
  await elias.expectToast('Company restored', company.name);
  await ruth.submitSignIn(member.email, password);
  await expect(ruth.heading('Welcome, Ruth')).toBeVisible();
});

test('employee creates an ISO partner, who receives a mail, and archives and restores it', async ({
  office,
}) => {
  const who = office.newPerson('Ines', 'Vega');
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=isos');
  await elias.button('Add ISO').click();
  const create = elias.dialog('Create New ISO');
  await elias.button('Create ISO', create).click();
  await elias.expectErrorToast('Missing Information', 'Please fill in all required fields');
  for (const label of ['First name', 'Last name', 'Email', 'Company']) {
    await elias.expectFieldError(label, missing, create);
  }
  await elias.fillFields(
    { 'First name': who.first, 'Last name': who.last, Email: 'Client@Example.com' },
    create,
  );
  await elias.pickFromSearch('Company', 'Northstar Holdings', create);
  await elias.button('Create ISO', create).click();
  await elias.expectErrorToast('Error', /already exists/);
  await expect(elias.field('Email', create)).toHaveAccessibleDescription(/already exists/);

  await elias.fillFields({ Email: who.email }, create);
  await elias.button('Create ISO', create).click();
  await elias.expectToast('ISO Created', who.name);
  await elias.search('Search ISOs', who.email);
  await expect(elias.row(who.email, 'ISOs')).toContainText('Northstar Holdings');

  const mail = await office.portal.post.waitForMail(who.email, 'Set your password');
  expect(mail.link('/auth/reset-password')).toContain('token_hash=');
  await office.setPassword(who.email);
  const ines = await office.visitor();
  await ines.signIn('iso', who.email, password);
  await expect(ines.heading('ISO dashboard')).toBeVisible();

  await elias.chooseRowAction('Archive', who.name);
  await elias.button('Archive', elias.dialog(`Archive ${who.name}?`)).click();
  await elias.expectToast('ISO archived', who.name);
  await ines.open('/iso-dashboard');
  await ines.expectPath('/');
  await elias.filterBy('Archived', 'Yes');
  await elias.chooseRowAction('Restore', who.name);
  await elias.expectToast('ISO restored', who.name);
});

test('wrong details of a partner are corrected', async ({ office }) => {
  const first = await office.company();
  const second = await office.company(office.uniqueName('Right Hand Partners'));
  const wrong = office.newPerson('Inse', 'Veag');
  await office.portal.operator(
    ...['iso', 'create', '--first-name', wrong.first, '--last-name', wrong.last],
    ...['--email', wrong.email, '--company', first.name],
  );
  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=isos');
  await elias.search('Search ISOs', wrong.email);
  await elias.page.getByRole('link', { name: wrong.name, exact: true }).click();
  await expect(elias.heading(wrong.name)).toBeVisible();

  await elias.button('Edit').click();
  const edit = elias.dialog('Edit ISO partner');
  await expect(edit).toContainText(wrong.email);
  await elias.fillFields({ 'First name': 'Ines', 'Last name': '', Phone: 'unknown' }, edit);
  await elias.button('Save', edit).click();
  await elias.expectErrorToast('Missing Information');
  await elias.expectFieldError('Last name', missing, edit);
  await expect(elias.field('Phone', edit)).toHaveAttribute('aria-invalid', 'true');
  await elias.fillFields({ 'Last name': 'Vega', Phone: '+44 20 7946 0018' }, edit);
  await elias.pickFromSearch('Company', second.name, edit);
  await elias.button('Save', edit).click();
  await elias.expectToast('ISO updated', 'Ines Vega');
  await expect(elias.heading('Ines Vega')).toBeVisible();
  await expect(elias.page.getByRole('link', { name: second.name, exact: true })).toBeVisible();
  await expect(elias.page.getByRole('main')).toContainText('+44 20 7946 0018');

  // With a client, the company stays, and the name can still be corrected.
  const partner = new URL(elias.page.url()).pathname.split('/').at(-1);
  await office.clientWithOrder(office.newPerson('Carl', 'Client'), second.id, partner);
  await elias.page.reload();
  await elias.button('Edit').click();
  await expect(edit.getByRole('combobox', { name: 'Company' })).toBeDisabled();
  await expect(edit).toContainText("It can't change: the partner has clients or orders.");
  await elias.fillFields({ Phone: '' }, edit);
  await elias.button('Save', edit).click();
  await elias.expectToast('ISO updated', 'Ines Vega');
  await expect(elias.page.getByRole('main')).not.toContainText('+44 20 7946 0018');
});

test('only a super admin deletes, and only rows without dependents', async ({ office }) => {
  const busy = await office.company(office.uniqueName('Busy Bee Ventures'));
  const idle = await office.company(office.uniqueName('Idle Hands Ventures'));
  const partner = office.newPerson('Otto', 'Kern');
  await office.clientWithOrder(office.newPerson('Bea', 'Busy'), busy.id);
  await office.portal.operator(
    ...['iso', 'create', '--first-name', partner.first, '--last-name', partner.last],
    ...['--email', partner.email, '--company', busy.name],
  );

  const elias = await office.employee();
  await elias.open('/employee-dashboard?tab=companies');
  await elias.search('Search companies', idle.name);
  await elias.button(`Actions for ${idle.name}`).click();
  await expect(elias.page.getByRole('menuitem')).toHaveText(['History', 'Edit', 'Archive']);

  const sigrid = await office.superAdmin();
  await sigrid.open('/employee-dashboard?tab=companies');
  await sigrid.search('Search companies', busy.name);
  await sigrid.chooseRowAction('Delete', busy.name);
  const refused = sigrid.dialog(`Delete ${busy.name}?`);
  await expect(refused).toContainText('Are you sure you want to delete this company?');
  await expect(refused.getByRole('listitem')).toHaveText(['1 client', '1 ISO partner', '1 order']);
  await expect(sigrid.button('Delete', refused)).toHaveCount(0);
  await sigrid.button('Archive instead', refused).click();
  await sigrid.expectToast('Company archived', busy.name);

  await sigrid.search('Search companies', idle.name);
  await sigrid.chooseRowAction('Delete', idle.name);
  await sigrid.button('Delete', sigrid.dialog(`Delete ${idle.name}?`)).click();
  await sigrid.expectToast('Company Deleted', idle.name);
  await expect(sigrid.page.getByText(`No results for “${idle.name}”`)).toBeVisible();
});

test('super admin deletes an ISO partner without clients and orders', async ({ office }) => {
  const who = office.newPerson('Piet', 'Dekker');
  await office.portal.operator(
    ...['iso', 'create', '--first-name', who.first, '--last-name', who.last],
    ...['--email', who.email, '--company', 'Northstar Holdings'],
  );
  const sigrid = await office.superAdmin();
  await sigrid.open('/employee-dashboard?tab=isos');
  await sigrid.search('Search ISOs', who.email);
  await sigrid.chooseRowAction('Delete', who.name);
  const question = sigrid.dialog(`Delete ${who.name}?`);
  await expect(question).toContainText('Are you sure you want to delete this ISO?');
  await sigrid.button('Cancel', question).click();
  await expect(sigrid.row(who.email, 'ISOs')).toBeVisible();
  await sigrid.chooseRowAction('Delete', who.name);
  await sigrid.button('Delete', question).click();
  await sigrid.expectToast('ISO Deleted', who.name);
  await expect(sigrid.page.getByText(`No results for “${who.email}”`)).toBeVisible();
});

test('delete conflict lists dependents added since the dialog opened', async ({ office }) => {
  const company = await office.company(office.uniqueName('Late Arrival Partners'));
  const sigrid = await office.superAdmin();
  await sigrid.open('/employee-dashboard?tab=companies');
  await sigrid.search('Search companies', company.name);
  await sigrid.chooseRowAction('Delete', company.name);
  const question = sigrid.dialog(`Delete ${company.name}?`);
  await expect(sigrid.button('Delete', question)).toBeVisible();
  // The response for the dialog is delayed past the confirmation.
  await sigrid.page.route(`**/rest/v1/companies/${company.id}`, (route) =>
    route.request().method() === 'GET' ? undefined : route.continue(),
  );
  await office.clientWithOrder(office.newPerson('Lea', 'Late'), company.id);
  await sigrid.button('Delete', question).click();
  await sigrid.expectErrorToast(
    'Error',
    'It has clients (1), ISO partners (0), orders (1) and users (0). Archive it instead.',
  );
  await sigrid.page.unrouteAll({ behavior: 'ignoreErrors' });
});
