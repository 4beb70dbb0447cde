/** Client profile: personal data, preferences and activity log. */
import { waitForIdle } from './support/pageChecks';
import { expect, test } from './support/fixtures';

test('personal information is saved, validated by the server, and guarded against loss', async ({
  office,
}) => {
  const who = office.newPerson('Maya', 'Ortiz');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const maya = await office.person(who.email);
  await maya.open('/client-profile');
  await expect(maya.field('First name')).toHaveValue('Maya');
  await expect(maya.field('Email')).toHaveValue(who.email);
  await expect(maya.field('Email')).toHaveAttribute('readonly');

  await maya.fillFields({ 'First name': '' });
  await maya.field('Date of birth').fill('2200-01-01');
  await maya.button('Save Changes').click();
  await maya.expectErrorToast('Missing Information', 'Please fill in all required fields');
  await maya.expectFieldError('First name', 'Please fill in this field.');
  await expect(maya.page.getByText('Must not be in the future.', { exact: true })).toBeVisible();
  await maya.fillFields({ 'First name': 'Mayra', Company: 'Ortiz & Söhne', 'Job title': 'Founder' });
  await maya.button('Save Changes').click();
  await maya.expectErrorToast('Error');
  await expect(maya.page.getByText('Must not be in the future.', { exact: true })).toBeVisible();
  await maya.field('Date of birth').fill('1984-05-17');
  // Common time zones come first.
  const country = maya.page.getByRole('combobox', { name: 'Country', exact: true });
  await country.click();
  await expect(maya.page.getByRole('option').first()).toHaveText('United States');
  await maya.page.getByRole('option', { name: 'United States', exact: true }).click();
  const state = maya.page.getByRole('combobox', { name: 'State', exact: true });
  await state.click();
  await expect(maya.page.getByRole('option').first()).toHaveText('California');
  await maya.page.getByRole('option', { name: 'Texas', exact: true }).click();
  await maya.fillFields({ City: 'Austin', 'Street address': '1 Congress Ave', 'ZIP code': '78701' });
  await maya.button('Save Changes').click();
  await maya.expectToast('Profile Updated', 'Your changes have been saved successfully.');
  await maya.page.reload();
  await expect(maya.field('First name')).toHaveValue('Mayra');
  await expect(maya.page.getByRole('combobox', { name: 'State', exact: true })).toHaveValue('Texas');
  await expect(maya.page.getByRole('button', { name: 'Account menu of Mayra Ortiz' })).toBeVisible();

  await maya.fillFields({ City: 'Dallas' });
  await maya.button('Reset Changes').click();
  const question = maya.dialog('Discard changes?');
  await maya.button('Cancel', question).click();
  await expect(maya.field('City')).toHaveValue('Dallas');
  await maya.button('Reset Changes').click();
  await maya.button('Discard', question).click();
  await maya.expectPath('/client-dashboard');
  await maya.open('/client-profile');
  await expect(maya.field('City')).toHaveValue('Austin');
  await maya.button('Reset Changes').click();
  await maya.expectPath('/client-dashboard');
});

test('language, time zone, date format and theme preferences apply everywhere', async ({ office }) => {
  const who = office.newPerson('Zoe', 'Lang');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const zoe = await office.person(who.email);
  await zoe.open('/client-profile?tab=preferences');
  await zoe.choose('Language', 'Español');
  const zone = zoe.page.getByRole('combobox', { name: 'Time zone', exact: true });
  await zone.click();
  await expect(zoe.page.getByRole('option').first()).toHaveText(/^New York \(GMT-[45]\)$/);
  // Typing replaces the selected value, and a country name finds its zones.
  await expect(zone).toHaveValue('');
  await zone.pressSequentially('japan');
  await expect(zoe.page.getByRole('option', { name: 'Tokyo (GMT+9)', exact: true })).toBeVisible();
  await zone.press('Enter');
  await expect(zone).toHaveValue('Tokyo (GMT+9)');
  await zone.click();
  await zone.pressSequentially('nowhere');
  await zone.press('Tab');
  await expect(zone).toHaveValue('Tokyo (GMT+9)');
  await zoe.choose('Date format', 'Year-month-day');
  await zoe.choose('Theme', 'Dark');
  await zoe.button('Save Changes').click();
  await zoe.expectToast('Preferencias guardadas');
  await expect(zoe.page.locator('html')).toHaveAttribute('lang', 'es');
  await expect(zoe.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tokyo' }).format(new Date());
  await expect(zoe.page.getByText(`Vista previa: ${there}, `)).toBeVisible();

  // A second browser of the same user.
  const elsewhere = await office.person(who.email);
  await elsewhere.open('/client-dashboard/billing');
  await waitForIdle(elsewhere.page);
  await expect(elsewhere.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(elsewhere.page.getByText(/^20\d\d-\d\d-\d\d$/).first()).toBeVisible();

  // Back to the system scheme on both devices.
  await zoe.choose('Tema', 'Sistema');
  await zoe.button('Guardar cambios').click();
  await zoe.expectToast('Preferencias guardadas');
  await elsewhere.page.reload();
  await expect(elsewhere.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');

  // Mails show link expiry in the time zone of the user.
  const visitor = await office.visitor();
  await visitor.open('/auth/forgot-password');
  await visitor.fillFields({ Email: who.email });
  await visitor.button('Send link').click();
  const mail = await office.portal.post.waitForMail(who.email, 'contraseña');
  expect(mail.text).toMatch(/20\d\d-\d\d-\d\d, \d\d:\d\d JST/);
});

test('British English uses British date and time formats', async ({ office }) => {
  const who = office.newPerson('Edith', 'Finch');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  await office.portal.operator('step', 'set', spv.identifier, '1', '--due-date', '2030-11-22');
  const edith = await office.person(who.email);
  await edith.open(`/client-dashboard/orders/${spv.id}`);
  await expect(edith.page.getByText('Due Nov 22, 2030').first()).toBeVisible();

  await edith.open('/client-profile?tab=preferences');
  await edith.choose('Language', 'English (UK)');
  await edith.button('Save Changes').click();
  await edith.expectToast('Preferences saved');
  await expect(edith.page.locator('html')).toHaveAttribute('lang', 'en-GB');
  const example = /^Preview: \d{1,2} [A-Z][a-z]{2,3} 20\d\d, \d\d:\d\d$/;
  await expect(edith.page.getByText(example)).toBeVisible();
  await edith.open(`/client-dashboard/orders/${spv.id}`);
  await expect(edith.page.getByText('Due 22 Nov 2030').first()).toBeVisible();

  // Another browser with American English preferred.
  const elsewhere = await office.person(who.email);
  await elsewhere.open(`/client-dashboard/orders/${spv.id}`);
  await expect(elsewhere.page.getByText('Due 22 Nov 2030').first()).toBeVisible();
});

test('activity log shows the own actions', async ({ office }) => {
  const who = office.newPerson('Lena', 'Fuchs');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const lena = await office.person(who.email);
  await lena.api.patch('/rest/v1/me/profile', { city: 'Graz' });
  await lena.open('/client-profile');
  await lena.page.getByRole('tab', { name: 'Activity Log', exact: true }).click();
  const log = lena.page.getByRole('region', { name: 'Activity Log' });
  await expect(log.getByRole('listitem').first()).toContainText("updated Lena Fuchs's account");
  await expect(log).toContainText('Lena Fuchs signed in');
});
