/** Companies and ISO partners: made, changed, archived, restored; deleted by a super admin where nothing depends. */
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

const missing = 'Please fill in this field.';

test('an employee creates a company and edits it', async ({ office }) => {
  const name = office.fresh('Lighthouse Capital');
  const elias = await office.employee();
  await elias.opens('/employee-dashboard?tab=companies');
  await elias.button('Add Company').click();
  const create = elias.dialog('Create New Company');

  await elias.writes({ Name: name, Email: 'nowhere', 'Logo URL': 'http://example.com/logo.png' }, create);
  await elias.button('Create Company', create).click();
  await elias.isRefused('Missing Information', 'Please fill in all required fields');
  const mistakes = async () => {
    await elias.isToldBeside('Email', 'Enter an e-mail address, for example name@example.com.', create);
    await elias.isToldBeside('Logo URL', 'Enter a link that starts with https://.', create);
  };
  await elias.isToldBeside('Business Name', missing, create);
  await mistakes();

  await elias.writes({ 'Business Name': `${name} LLC` }, create);
  await elias.button('Create Company', create).click();
  await elias.isRefused('Error');
  await mistakes();

  await elias.writes({ Email: 'desk@example.com', 'Logo URL': '', Phone: '+1 555 0142' }, create);
  await elias.button('Create Company', create).click();
  await elias.isTold('Company Created', name);
  await elias.searches('Search companies', name);
  const row = elias.row(`${name} LLC`, 'Companies');
  await expect(row).toContainText('desk@example.com');
  await expect(row).toContainText('+1 555 0142');

  await elias.picks('Edit', name);
  const edit = elias.dialog('Edit Company');
  await expect(elias.field('Business Name', edit)).toHaveValue(`${name} LLC`);
  await elias.writes({ 'Business Name': `${name} Partners LP`, Phone: '' }, edit);
  await elias.button('Save', edit).click();
  await elias.isTold('Company Updated', name);
  await expect(elias.row(name, 'Companies')).toContainText(`${name} Partners LP`);
  await expect(elias.row(name, 'Companies')).not.toContainText('+1 555 0142');
});

test('a company is archived with its members and restored by an employee @postgres', async ({ office }) => {
  const company = await office.company(office.fresh('Old Mill Holdings'));
  const member = office.newcomer('Ruth', 'Mills');
  await office.clientWithOrder(member, company.id);
  await office.setsPassword(member.email);
  const elias = await office.employee();
  await elias.opens('/employee-dashboard?tab=companies');
  await elias.searches('Search companies', company.name);

  await elias.picks('Archive', company.name);
  const question = elias.dialog(`Archive ${company.name}?`);
  await expect(question).toContainText('its members cannot sign in until it is restored');
  await elias.button('Archive', question).click();
  await elias.isTold('Company Archived', company.name);
  await expect(elias.page.getByText(`Nothing matches “${company.name}”`)).toBeVisible();

  const ruth = await office.visitor();
  await ruth.signsIn('client', member.email, password);
  await ruth.isRefused('Login Failed', 'This account is suspended or archived. Please contact support.');

  await elias.page.getByRole('switch', { name: 'Show archived' }).click();
  await expect(elias.row(company.name, 'Companies')).toBeVisible();
  await elias.picks('Restore', company.name);
  await elias.isTold('Company Restored', company.name);
  await ruth.fillsInSignIn(member.email, password);
  await expect(ruth.heading('Welcome, Ruth')).toBeVisible();
});

test('an employee creates an ISO, who gets a mail, is archived and restored', async ({ office }) => {
  const who = office.newcomer('Ines', 'Vega');
  const elias = await office.employee();
  await elias.opens('/employee-dashboard?tab=isos');
  await elias.button('Add ISO').click();
  const create = elias.dialog('Create New ISO');
  await elias.button('Create ISO', create).click();
  await elias.isRefused('Missing Information', 'Please fill in all required fields');
  for (const label of ['First Name', 'Last Name', 'Email', 'Company']) {
    await elias.isToldBeside(label, missing, create);
  }
  await elias.writes({ 'First Name': who.first, 'Last Name': who.last, Email: 'Client@Example.com' }, create);
  await elias.finds('Company', 'Northstar Holdings', create);
  await elias.button('Create ISO', create).click();
  await elias.isRefused('Error', /already has an account/);
  await expect(elias.field('Email', create)).toHaveAccessibleDescription(/already has an account/);

  await elias.writes({ Email: who.email }, create);
  await elias.button('Create ISO', create).click();
  await elias.isTold('ISO Created', who.name);
  await elias.searches('Search ISOs', who.email);
  await expect(elias.row(who.email, 'ISOs')).toContainText('Northstar Holdings');

  const mail = await office.portal.post.arrives(who.email, 'Set your password');
  expect(mail.link('/auth/reset-password')).toContain('token_hash=');
  await office.setsPassword(who.email);
  const ines = await office.visitor();
  await ines.signsIn('iso', who.email, password);
  await expect(ines.heading('ISO Dashboard')).toBeVisible();

  await elias.picks('Archive', who.name);
  await elias.button('Archive', elias.dialog(`Archive ${who.name}?`)).click();
  await elias.isTold('ISO Archived', who.name);
  await ines.opens('/iso-dashboard');
  await ines.isAt('/');
  await elias.page.getByRole('switch', { name: 'Show archived' }).click();
  await elias.picks('Restore', who.name);
  await elias.isTold('ISO Restored', who.name);
});

test('only a super admin deletes, and only where nothing depends @postgres', async ({ office }) => {
  const busy = await office.company(office.fresh('Busy Bee Ventures'));
  const idle = await office.company(office.fresh('Idle Hands Ventures'));
  const partner = office.newcomer('Otto', 'Kern');
  await office.clientWithOrder(office.newcomer('Bea', 'Busy'), busy.id);
  await office.portal.operator(
    ...['iso', 'create', '--first-name', partner.first, '--last-name', partner.last],
    ...['--email', partner.email, '--company', busy.name],
  );

  const elias = await office.employee();
  await elias.opens('/employee-dashboard?tab=companies');
  await elias.searches('Search companies', idle.name);
  await elias.button(`Actions for ${idle.name}`).click();
  await expect(elias.page.getByRole('menuitem')).toHaveText(['History', 'Edit', 'Archive']);

  const sigrid = await office.superAdmin();
  await sigrid.opens('/employee-dashboard?tab=companies');
  await sigrid.searches('Search companies', busy.name);
  await sigrid.picks('Delete', busy.name);
  const refused = sigrid.dialog(`Delete ${busy.name}`);
  await expect(refused).toContainText('Are you sure you want to delete this company?');
  await expect(refused.getByRole('listitem')).toHaveText(['1 client', '1 ISO partner', '1 order']);
  await expect(sigrid.button('Delete', refused)).toHaveCount(0);
  await sigrid.button('Archive instead', refused).click();
  await sigrid.isTold('Company Archived', busy.name);

  await sigrid.searches('Search companies', idle.name);
  await sigrid.picks('Delete', idle.name);
  await sigrid.button('Delete', sigrid.dialog(`Delete ${idle.name}`)).click();
  await sigrid.isTold('Company Deleted', idle.name);
  await expect(sigrid.page.getByText(`Nothing matches “${idle.name}”`)).toBeVisible();
});

test('an ISO without clients and orders is deleted by a super admin', async ({ office }) => {
  const who = office.newcomer('Piet', 'Dekker');
  await office.portal.operator(
    ...['iso', 'create', '--first-name', who.first, '--last-name', who.last],
    ...['--email', who.email, '--company', 'Northstar Holdings'],
  );
  const sigrid = await office.superAdmin();
  await sigrid.opens('/employee-dashboard?tab=isos');
  await sigrid.searches('Search ISOs', who.email);
  await sigrid.picks('Delete', who.name);
  const question = sigrid.dialog(`Delete ${who.name}`);
  await expect(question).toContainText('Are you sure you want to delete this ISO?');
  await sigrid.button('Cancel', question).click();
  await expect(sigrid.row(who.email, 'ISOs')).toBeVisible();
  await sigrid.picks('Delete', who.name);
  await sigrid.button('Delete', question).click();
  await sigrid.isTold('ISO Deleted', who.name);
  await expect(sigrid.page.getByText(`Nothing matches “${who.email}”`)).toBeVisible();
});

test('what began to depend while the question was open is counted in the refusal @postgres', async ({
  office,
}) => {
  const company = await office.company(office.fresh('Late Arrival Partners'));
  const sigrid = await office.superAdmin();
  await sigrid.opens('/employee-dashboard?tab=companies');
  await sigrid.searches('Search companies', company.name);
  await sigrid.picks('Delete', company.name);
  const question = sigrid.dialog(`Delete ${company.name}`);
  await expect(sigrid.button('Delete', question)).toBeVisible();
  // The answer that would say so in the dialog is still on its way when she confirms.
  await sigrid.page.route(`**/rest/v1/companies/${company.id}`, (route) =>
    route.request().method() === 'GET' ? undefined : route.continue(),
  );
  await office.clientWithOrder(office.newcomer('Lea', 'Late'), company.id);
  await sigrid.button('Delete', question).click();
  await sigrid.isRefused(
    'Error',
    'It still has clients (1), ISO partners (0), orders (1) and users (0). Archive it instead.',
  );
  await sigrid.page.unrouteAll({ behavior: 'ignoreErrors' });
});
