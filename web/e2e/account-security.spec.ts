/** Account security: password, MFA, email address and sessions. */
import { paths } from '../src/paths';
import { Api, Refused } from './support/api';
import type { NewPerson, TestServer } from './support/server';
import type { Person, Visitor } from './support/users';
import { password } from './support/portal';
import { axeViolations, waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';
import { totp } from './support/totp';

const NEW_PASSWORD = 'seven quiet otters at dawn';

test('password change requires the current password and signs out other browsers', async ({ office }) => {
  const who = await client(office, 'Petra', 'Lund');
  const [laptop, phone] = [await signedIn(office, who), await signedIn(office, who)];
  await laptop.page.getByRole('button', { name: /^Account menu of/ }).click();
  await laptop.page.getByRole('menuitem', { name: 'Profile and security' }).click();
  await laptop.expectPath(paths.clientProfile);
  await laptop.page.getByRole('tab', { name: 'Security Settings' }).click();
  await laptop.button('Change Password').click();
  const dialog = laptop.dialog('Change Password');
  await expect(dialog).toContainText('Your other browsers and devices are signed out.');
  await expect(dialog).toContainText('at least 8 characters');

  await laptop.button('Change Password', dialog).click();
  await expect(dialog.getByLabel('Current password', { exact: true })).toBeFocused();
  await laptop.expectFieldError('Current password', 'Please fill in this field.', dialog);

  await changeEmail(laptop, 'not my password', NEW_PASSWORD);
  await laptop.expectFieldError('Current password', 'Your current password is incorrect.', dialog);
  await expect(dialog.getByLabel('New password', { exact: true })).toHaveValue(NEW_PASSWORD);
  await changeEmail(laptop, password, who.email);
  await expect(dialog.getByLabel('New password', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByLabel('New password', { exact: true })).toBeFocused();
  await expect(dialog.getByLabel('Current password', { exact: true })).toHaveValue(password);
  expect(await axeViolations(laptop.page)).toEqual([]);

  await changeEmail(laptop, password, NEW_PASSWORD);
  await laptop.expectToast('Password changed', 'Your other sessions were signed out.');
  await expect(dialog).toBeHidden();
  // The other browser is redirected without any action in it.
  await expect(phone.page).toHaveURL((url) => url.pathname === '/');
  await laptop.expectPath(paths.clientProfileTab('security'));
  await expect(laptop.row(/Failed.*Wrong current password/, 'Sign-in history').first()).toBeVisible();
  await expect(laptop.row(/Signed out.*Password changed/, 'Sign-in history').first()).toBeVisible();
  expect(await status(Api.signIn(office.portal.url, who.email, password))).toBe(400);
  await Api.signIn(office.portal.url, who.email, NEW_PASSWORD);
});

test('authenticator app can be enrolled, is required at sign-in, and can be removed', async ({ office }) => {
  test.slow();
  const who = await client(office, 'Tove', 'Adler');
  const tove = await signedIn(office, who);
  await tove.open(paths.clientProfileTab('security'));
  const section = tove.card('Two-factor authentication');
  await expect(section).toContainText('Off');
  await tove.button('Enable 2FA', section).click();
  const dialog = tove.dialog('Set up two-factor authentication');
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const key = (await dialog.getByLabel('Key', { exact: true }).textContent()) ?? '';
  await expect(dialog.getByRole('link', { name: 'Open in an app on this device' })).toHaveAttribute(
    'href',
    new RegExp(`^otpauth://totp/.*secret=${key.replaceAll(' ', '')}`),
  );
  expect(await axeViolations(tove.page)).toEqual([]);
  await tove.fillFields({ 'Code from the app': '12' }, dialog);
  await tove.button('Turn on', dialog).click();
  await tove.expectFieldError('Code from the app', 'Enter the six-digit code.', dialog);
  await tove.fillFields({ 'Code from the app': wrongCode(key) }, dialog);
  await tove.button('Turn on', dialog).click();
  await expect(dialog).toContainText('Wrong code.');
  await tove.fillFields({ 'Code from the app': totp(key) }, dialog);
  await tove.page.keyboard.press('Enter');

  const codes = await saveRecoveryCodes(tove);
  await tove.expectToast('Two-factor authentication is on');
  await expect(section).toContainText('On');
  await expect(section).toContainText('10 of 10 left');

  const laptop = await signedInBehindMfa(office, who);
  await laptop.fillFields({ 'Code from the app': totp(key, nextCode()) });
  await laptop.button('Continue').click();
  await laptop.expectPath(paths.clientDashboard);

  const phone = await signedInBehindMfa(office, who);
  await enterRecoveryCode(phone, codes[0] ?? '');
  await phone.expectPath(paths.clientDashboard);
  // The open page updates through the event stream.
  await expect(section).toContainText('9 of 10 left');
  const thief = await signedInBehindMfa(office, who);
  await enterRecoveryCode(thief, codes[0] ?? '');
  await expect(thief.page.getByText('This recovery code is wrong or was already used.')).toBeVisible();

  await tove.button('Create new codes', section).click();
  const sure = tove.dialog('Create new recovery codes?');
  await tove.button('Create new codes', sure).click();
  const fresh = await saveRecoveryCodes(tove);
  expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
  await expect(section).toContainText('10 of 10 left');
  await enterRecoveryCode(thief, codes[1] ?? '', false);
  await expect(thief.page.getByText('This recovery code is wrong or was already used.')).toBeVisible();
  await enterRecoveryCode(thief, fresh[1] ?? '', false);
  await thief.expectPath(paths.clientDashboard);

  await tove.button('Remove Authenticator app', section).click();
  const remove = tove.dialog('Remove Authenticator app?');
  await expect(remove).toContainText('your recovery codes stop working');
  await tove.button('Remove', remove).click();
  await tove.expectToast('Authenticator app was removed');
  await expect(section).toContainText('Off');
  const again = await signedIn(office, who);
  await again.expectPath(paths.clientDashboard);
});

test('two authenticator apps have distinct names and each signs in', async ({ office }) => {
  const who = await client(office, 'Ines', 'Moreau');
  const ines = await signedIn(office, who);
  await ines.open(paths.clientProfileTab('security'));
  const section = ines.card('Two-factor authentication');
  await ines.button('Enable 2FA', section).click();
  await enrolAuthenticator(ines, 'Set up two-factor authentication');
  await saveRecoveryCodes(ines);
  await ines.button('Add another app', section).click();
  const dialog = ines.dialog('Add another app');
  await ines.button('Continue', dialog).click();
  await ines.expectFieldError('App or device name', 'Please fill in this field.', dialog);
  await ines.fillFields({ 'App or device name': 'Work phone' }, dialog);
  await ines.button('Continue', dialog).click();
  const key = await enrolAuthenticator(ines, 'Add another app');
  // The recovery codes of the first app remain valid.
  await ines.expectToast('Two-factor authentication is on');
  await expect(section).toContainText('Work phone');
  await ines.button('Remove Authenticator app', section).click();
  const remove = ines.dialog('Remove Authenticator app?');
  await expect(remove).toContainText("Your other apps aren't affected.");
  await ines.button('Remove', remove).click();
  await ines.expectToast('Authenticator app was removed');

  const phone = await signedInBehindMfa(office, who);
  await phone.fillFields({ 'Code from the app': totp(key, nextCode()) });
  await phone.button('Continue').click();
  await phone.expectPath(paths.clientDashboard);
});

test('stale session reauthenticates in a dialog before changing MFA factors', async ({ office }) => {
  test.slow();
  const who = await client(office, 'Mirel', 'Roth');
  const mirel = await signedIn(office, who);
  await mirel.open(paths.clientProfileTab('security'));
  const section = mirel.card('Two-factor authentication');
  const proof = mirel.dialog("Confirm it's you");

  // By password: wrong, empty, and right; the enrolment continues.
  await office.portal.expireReauthentication();
  await mirel.button('Enable 2FA', section).click();
  await expect(proof).toContainText('your changes are kept');
  expect(await axeViolations(mirel.page)).toEqual([]);
  await mirel.button('Continue', proof).click();
  await mirel.expectFieldError('Current password', 'Please fill in this field.', proof);
  await mirel.fillFields({ 'Current password': 'not my password' }, proof);
  await mirel.button('Continue', proof).click();
  await mirel.expectFieldError('Current password', 'Your current password is incorrect.', proof);
  await mirel.button('Cancel', proof).click();
  const setup = mirel.dialog('Set up two-factor authentication');
  await expect(setup).toContainText("Confirm it's you: sign in again");
  await mirel.button('Try again', setup).click();
  await mirel.fillFields({ 'Current password': password }, proof);
  await mirel.button('Continue', proof).click();
  await expect(proof).toBeHidden();

  // By emailed code, during enrolment.
  await expect(setup.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await office.portal.expireReauthentication();
  const key = await enrolAuthenticator(mirel, 'Set up two-factor authentication');
  await mirel.button('Use a code by email', proof).click();
  await mirel.button('Send code', proof).click();
  const mail = await office.portal.post.waitForMail(who.email, 'code');
  await mirel.fillFields({ 'Code from the email': mail.code() }, proof);
  await mirel.button('Continue', proof).click();
  await saveRecoveryCodes(mirel);
  await expect(section).toContainText('10 of 10 left');

  // By the existing authenticator.
  await office.portal.expireReauthentication();
  await mirel.button('Create new codes', section).click();
  await mirel.button('Create new codes', mirel.dialog('Create new recovery codes?')).click();
  await mirel.fillFields({ 'Code from the app': totp(key, nextCode()) }, proof);
  await mirel.button('Continue', proof).click();
  await saveRecoveryCodes(mirel);
  await mirel.button('Remove Authenticator app', section).click();
  await mirel.button('Remove', mirel.dialog('Remove Authenticator app?')).click();
  await mirel.expectToast('Authenticator app was removed');
  await expect(section).toContainText('Off');
});

test('sessions can be listed and revoked: one, all others, all', async ({ office }) => {
  const who = await client(office, 'Sol', 'Vega');
  const [sol, phone, library] = [
    await signedIn(office, who),
    await signedIn(office, who),
    await signedIn(office, who),
  ];
  await sol.open(paths.clientProfileTab('security'));
  const section = sol.card('Sessions');
  const rows = section.getByRole('listitem');
  // The recovery link created one more session.
  await expect(rows).toHaveCount(4);
  await expect(rows.first()).toContainText('This device');
  await expect(rows.filter({ hasText: 'This device' })).toHaveCount(1);
  await expect(rows.filter({ hasText: /Chrom(e|ium) on Linux/ })).toHaveCount(3);

  await endSessions(sol, rows.nth(1).getByRole('button'), 'Sign out');
  await expect(rows).toHaveCount(3);
  // The newest other session belongs to the auth client.
  await expect(library.page).toHaveURL((url) => url.pathname === '/');
  await phone.expectPath(paths.clientDashboard);

  await endSessions(sol, sol.button('Sign out all others', section), 'Sign out all others');
  await sol.expectToast('All other sessions were signed out');
  await expect(rows).toHaveCount(1);
  await expect(phone.page).toHaveURL((url) => url.pathname === '/');
  await expect(sol.button('Sign out all others', section)).toBeHidden();

  const tablet = await signedIn(office, who);
  await expect(rows).toHaveCount(2);
  await endSessions(sol, sol.button('Sign out everywhere', section), 'Sign out everywhere');
  await sol.expectPath('/');
  await sol.expectToast('You are signed out everywhere');
  await expect(tablet.page).toHaveURL((url) => url.pathname === '/');
});

test('email change must be confirmed at both addresses', async ({ office }) => {
  const who = await client(office, 'Runa', 'Falk');
  const next = office.newPerson('Runa', 'Berg').email;
  const runa = await signedIn(office, who);
  await runa.open(paths.clientProfileTab('security'));
  const section = runa.card('Email address');
  await runa.button('Change email address', section).click();
  const dialog = runa.dialog('Change email address');
  const wants = async (email: string) => {
    await runa.fillFields({ 'New email address': email }, dialog);
    await runa.button('Send emails', dialog).click();
  };
  await wants(who.email.toUpperCase());
  await runa.expectFieldError('New email address', 'This is already your address.', dialog);
  await wants('employee@example.com');
  await runa.expectFieldError(
    'New email address',
    'An account with this email address already exists.',
    dialog,
  );
  await wants(next);
  await runa.expectToast('Check both inboxes');
  await expect(section).toContainText(next);
  await expect(section).toContainText('Pending');
  await expect(section).toContainText(who.email);

  const [old, fresh] = [
    await office.portal.post.waitForMail(who.email, 'Confirm your email address change'),
    await office.portal.post.waitForMail(next, 'Confirm your new email address'),
  ];
  await runa.open(old.link('/auth/confirm'));
  await runa.button('Confirm').click();
  await expect(runa.heading('One more confirmation needed')).toBeVisible();
  const other = await office.visitor();
  await other.open('/auth/confirm?type=email_change');
  // Another browser uses the emailed code.
  await other.fillFields({ Email: next, 'Code from the email': fresh.code() });
  await other.button('Continue').click();
  await expect(other.heading('Email address changed')).toBeVisible();

  const again = await office.visitor();
  await again.signIn('client', next, password);
  await again.expectPath(paths.clientDashboard);
  expect(await status(Api.signIn(office.portal.url, who.email, password))).toBe(400);
});

test('email change can be cancelled', async ({ office }) => {
  const who = await client(office, 'Otto', 'Reyes');
  const next = office.newPerson('Otto', 'Quint').email;
  const otto = await signedIn(office, who);
  await otto.open(paths.clientProfileTab('security'));
  const section = otto.card('Email address');
  await otto.button('Change email address', section).click();
  await otto.fillFields({ 'New email address': next });
  await otto.button('Send emails').click();
  await expect(section).toContainText(next);
  const mail = await office.portal.post.waitForMail(next, 'Confirm your new email address');
  await otto.button('Cancel change', section).click();
  await otto.expectToast('Change cancelled', `You still sign in with ${who.email}.`);
  await expect(section).not.toContainText(next);
  await otto.open(mail.link('/auth/confirm'));
  await otto.button('Confirm').click();
  await expect(otto.page.getByRole('alert')).toBeVisible();
});

test('sign-in history lists successes and failures with pagination', async ({ office }) => {
  const who = await client(office, 'Hana', 'Ito');
  expect(await status(Api.signIn(office.portal.url, who.email, 'a wrong guess'))).toBe(400);
  for (let times = 0; times < 10; times += 1) await Api.signIn(office.portal.url, who.email, password);
  const hana = await signedIn(office, who);
  await hana.open(paths.clientProfileTab('security'));
  const history = hana.page.getByRole('table', { name: 'Sign-in history' });
  await expect(history.getByRole('row')).toHaveCount(11);
  await expect(history.getByRole('row').nth(1)).toContainText(/Signed in.*Password.*Chrom(e|ium) on Linux/);
  await hana.button('Load more').click();
  await expect(hana.row(/Failed.*Wrong password/, 'Sign-in history')).toBeVisible();
});

test('security panel exists in every portal and fits a phone', async ({ office }) => {
  const phone = { viewport: { width: 390, height: 844 } };
  const everyone: [Person, string, string][] = [
    [await office.client(phone), paths.clientDashboard, paths.clientProfile],
    [await office.employee(phone), paths.employeeDashboard, paths.employeeSecurity],
    [await office.iso(phone), paths.isoDashboard, paths.isoSecurity],
    [await office.companyAdmin(phone), paths.companyDashboard, paths.companySecurity],
    [await office.superAdmin(phone), paths.adminDashboard, paths.adminSecurity],
  ];
  for (const [person, home, panel] of everyone) {
    await test.step(panel, async () => {
      await person.open(home);
      await person.page.getByRole('button', { name: /^Account menu of/ }).click();
      await person.page.getByRole('menuitem', { name: /ecurity$/ }).click();
      await person.expectPath(panel);
      if (panel === paths.clientProfile) {
        await person.page.getByRole('tab', { name: 'Security Settings' }).click();
      }
      await waitForIdle(person.page);
      await expect(person.heading('Sessions')).toBeVisible();
      // No provider is configured here.
      await expect(person.heading('Linked accounts')).toBeHidden();
      expect(await overflowingElements(person.page)).toEqual([]);
      expect(await axeViolations(person.page)).toEqual([]);
    });
  }
});

test('failed section shows an error with a retry button', async ({ office }) => {
  const amara = await office.client();
  await amara.page.route('**/auth/v1/sessions', (route) => route.fulfill({ status: 404, body: '{}' }));
  await amara.open(paths.clientProfileTab('security'));
  const section = amara.card('Sessions');
  await expect(section.getByRole('alert')).toContainText("Couldn't load this");
  await amara.page.unroute('**/auth/v1/sessions');
  await amara.button('Try again', section).click();
  await expect(section).toContainText('This device');
});

/** A client with the demo password. */
async function client(office: TestServer, first: string, last: string): Promise<NewPerson> {
  const who = office.newPerson(first, last);
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  return who;
}

/** A new browser for the user. */
async function signedIn(office: TestServer, who: NewPerson): Promise<Visitor> {
  const visitor = await office.visitor();
  await visitor.signIn('client', who.email, password);
  await visitor.expectPath(paths.clientDashboard);
  return visitor;
}

/** A browser that passed the password and waits at the MFA challenge. */
async function signedInBehindMfa(office: TestServer, who: NewPerson): Promise<Visitor> {
  const visitor = await office.visitor();
  await visitor.signIn('client', who.email, password);
  await expect(visitor.heading('Two-factor authentication')).toBeVisible();
  return visitor;
}

async function changeEmail(person: Person, current: string, next: string): Promise<void> {
  const dialog = person.dialog('Change Password');
  const fields = { 'Current password': current, 'New password': next, 'Repeat the new password': next };
  for (const [label, text] of Object.entries(fields)) {
    await dialog.getByLabel(label, { exact: true }).fill(text);
  }
  await person.button('Change Password', dialog).click();
}

/** Enrols the authenticator of the open dialog; returns its key. */
async function enrolAuthenticator(person: Person, title: string): Promise<string> {
  const dialog = person.dialog(title);
  const key = (await dialog.getByLabel('Key', { exact: true }).textContent()) ?? '';
  await person.fillFields({ 'Code from the app': totp(key) }, dialog);
  await person.button('Turn on', dialog).click();
  return key;
}

/** Reads, downloads and confirms the recovery codes. */
async function saveRecoveryCodes(person: Person): Promise<string[]> {
  const dialog = person.dialog('Recovery codes');
  const shown = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(shown).toHaveCount(10);
  const codes = await shown.allTextContents();
  await person.button('Done', dialog).click();
  await expect(dialog).toContainText('Save the codes, then check this box.');
  const [download] = await Promise.all([
    person.page.waitForEvent('download'),
    person.button('Download', dialog).click(),
  ]);
  expect(download.suggestedFilename()).toBe('recovery-codes.txt');
  await dialog.getByRole('checkbox', { name: 'I have saved these codes' }).check();
  await person.button('Done', dialog).click();
  await expect(dialog).toBeHidden();
  return codes;
}

async function enterRecoveryCode(person: Person, code: string, switches = true): Promise<void> {
  if (switches) await person.button('Use a recovery code').click();
  await person.fillFields({ 'Recovery code': code });
  await person.button('Continue').click();
}

/** Ends sessions and confirms the dialog. */
async function endSessions(
  person: Person,
  button: ReturnType<Person['button']>,
  verb: string,
): Promise<void> {
  await button.click();
  await person.button(verb, person.page.getByRole('dialog')).click();
}

/** The next TOTP code, because each code is accepted once. */
const nextCode = () => Date.now() + 30_000;

/** Six digits that no accepted time step has. */
function wrongCode(key: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => totp(key, Date.now() + steps * 30_000)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '';
}

async function status(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 200,
    (error: unknown) => (error instanceof Refused ? error.status : 0),
  );
}
