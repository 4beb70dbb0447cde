/** Everyone looks after their own sign-in: password, second factor, address and sessions. */
import { paths } from '../src/paths';
import { Api, Refused } from './support/api';
import type { Newcomer, Office } from './support/server';
import type { Person, Visitor } from './support/users';
import { password } from './support/portal';
import { barriers, isQuiet, sticksOut } from './support/pageChecks';
import { expect, test } from './support/fixtures';
import { totp } from './support/totp';

const better = 'seven quiet otters at dawn';

test('a new password needs the old one, and signs out every other browser', async ({ office }) => {
  const who = await client(office, 'Petra', 'Lund');
  const [laptop, phone] = [await signedIn(office, who), await signedIn(office, who)];
  await laptop.page.getByRole('button', { name: /^Account menu of/ }).click();
  await laptop.page.getByRole('menuitem', { name: 'Profile and security' }).click();
  await laptop.isAt(paths.clientProfile);
  await laptop.page.getByRole('tab', { name: 'Security Settings' }).click();
  await laptop.button('Change Password').click();
  const dialog = laptop.dialog('Change Password');
  await expect(dialog).toContainText('Your other sessions end');
  await expect(dialog).toContainText('at least 8 characters');

  await laptop.button('Change Password', dialog).click();
  await expect(dialog.getByLabel('Current password', { exact: true })).toBeFocused();
  await laptop.isToldBeside('Current password', 'Please fill in this field.', dialog);

  await changes(laptop, 'not my password', better);
  await laptop.isToldBeside('Current password', 'The current password is wrong.', dialog);
  await expect(dialog.getByLabel('New password', { exact: true })).toHaveValue(better);
  await changes(laptop, password, who.email);
  await expect(dialog.getByLabel('New password', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByLabel('New password', { exact: true })).toBeFocused();
  await expect(dialog.getByLabel('Current password', { exact: true })).toHaveValue(password);
  expect(await barriers(laptop.page)).toEqual([]);

  await changes(laptop, password, better);
  await laptop.isTold('Password changed', 'Your other sessions have ended.');
  await expect(dialog).toBeHidden();
  // The other browser is led away without anybody touching it.
  await expect(phone.page).toHaveURL((url) => url.pathname === '/');
  await laptop.isAt(paths.clientProfileTab('security'));
  await expect(laptop.row(/Refused.*Wrong current password/, 'Sign-in history').first()).toBeVisible();
  await expect(laptop.row(/Signed out.*password was changed/, 'Sign-in history').first()).toBeVisible();
  expect(await status(Api.signIn(office.portal.url, who.email, password))).toBe(400);
  await Api.signIn(office.portal.url, who.email, better);
});

test('a second factor is set up, asked for, and taken away again', async ({ office }) => {
  test.slow();
  const who = await client(office, 'Tove', 'Adler');
  const tove = await signedIn(office, who);
  await tove.opens(paths.clientProfileTab('security'));
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
  expect(await barriers(tove.page)).toEqual([]);
  await tove.writes({ 'Code from the app': '12' }, dialog);
  await tove.button('Turn on', dialog).click();
  await tove.isToldBeside('Code from the app', 'Enter the six digits of the code.', dialog);
  await tove.writes({ 'Code from the app': wrong(key) }, dialog);
  await tove.button('Turn on', dialog).click();
  await expect(dialog).toContainText('This code is not right.');
  await tove.writes({ 'Code from the app': totp(key) }, dialog);
  await tove.page.keyboard.press('Enter');

  const codes = await keepsCodes(tove);
  await tove.isTold('Two-factor authentication is on');
  await expect(section).toContainText('On');
  await expect(section).toContainText('10 of 10 left');

  const laptop = await asked(office, who);
  await laptop.writes({ 'Code from the app': totp(key, soon()) });
  await laptop.button('Continue').click();
  await laptop.isAt(paths.clientDashboard);

  const phone = await asked(office, who);
  await usesRecoveryCode(phone, codes[0] ?? '');
  await phone.isAt(paths.clientDashboard);
  // The page that is open hears of it.
  await expect(section).toContainText('9 of 10 left');
  const thief = await asked(office, who);
  await usesRecoveryCode(thief, codes[0] ?? '');
  await expect(thief.page.getByText('This recovery code is not right, or was used already.')).toBeVisible();

  await tove.button('Create new codes', section).click();
  const sure = tove.dialog('Create new recovery codes?');
  await tove.button('Create new codes', sure).click();
  const fresh = await keepsCodes(tove);
  expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
  await expect(section).toContainText('10 of 10 left');
  await usesRecoveryCode(thief, codes[1] ?? '', false);
  await expect(thief.page.getByText('This recovery code is not right, or was used already.')).toBeVisible();
  await usesRecoveryCode(thief, fresh[1] ?? '', false);
  await thief.isAt(paths.clientDashboard);

  await tove.button('Remove Authenticator app', section).click();
  const remove = tove.dialog('Remove Authenticator app?');
  await expect(remove).toContainText('your recovery codes stop working');
  await tove.button('Remove', remove).click();
  await tove.isTold('Authenticator app was removed');
  await expect(section).toContainText('Off');
  const again = await signedIn(office, who);
  await again.isAt(paths.clientDashboard);
});

test('two apps are told apart by name, and each works alone', async ({ office }) => {
  const who = await client(office, 'Ines', 'Moreau');
  const ines = await signedIn(office, who);
  await ines.opens(paths.clientProfileTab('security'));
  const section = ines.card('Two-factor authentication');
  await ines.button('Enable 2FA', section).click();
  await enrols(ines, 'Set up two-factor authentication');
  await keepsCodes(ines);
  await ines.button('Add another app', section).click();
  const dialog = ines.dialog('Add another app');
  await ines.button('Continue', dialog).click();
  await ines.isToldBeside('Name of the app or device', 'Please fill in this field.', dialog);
  await ines.writes({ 'Name of the app or device': 'Work phone' }, dialog);
  await ines.button('Continue', dialog).click();
  const key = await enrols(ines, 'Add another app');
  // The codes of the first one are kept.
  await ines.isTold('Two-factor authentication is on');
  await expect(section).toContainText('Work phone');
  await ines.button('Remove Authenticator app', section).click();
  const remove = ines.dialog('Remove Authenticator app?');
  await expect(remove).toContainText('Your other apps stay as they are.');
  await ines.button('Remove', remove).click();
  await ines.isTold('Authenticator app was removed');

  const phone = await asked(office, who);
  await phone.writes({ 'Code from the app': totp(key, soon()) });
  await phone.button('Continue').click();
  await phone.isAt(paths.clientDashboard);
});

test('an older session proves who it is in place before second factors change', async ({ office }) => {
  test.slow();
  const who = await client(office, 'Mirel', 'Roth');
  const mirel = await signedIn(office, who);
  await mirel.opens(paths.clientProfileTab('security'));
  const section = mirel.card('Two-factor authentication');
  const proof = mirel.dialog('Confirm that it is you');

  // By password: wrong, not at all, and right; the set-up goes on where it was.
  await office.portal.proofsAge();
  await mirel.button('Enable 2FA', section).click();
  await expect(proof).toContainText('nothing you have begun is lost');
  expect(await barriers(mirel.page)).toEqual([]);
  await mirel.button('Continue', proof).click();
  await mirel.isToldBeside('Current password', 'Please fill in this field.', proof);
  await mirel.writes({ 'Current password': 'not my password' }, proof);
  await mirel.button('Continue', proof).click();
  await mirel.isToldBeside('Current password', 'The current password is wrong.', proof);
  await mirel.button('Cancel', proof).click();
  const setup = mirel.dialog('Set up two-factor authentication');
  await expect(setup).toContainText('Confirm that it is you: sign in again');
  await mirel.button('Try again', setup).click();
  await mirel.writes({ 'Current password': password }, proof);
  await mirel.button('Continue', proof).click();
  await expect(proof).toBeHidden();

  // By a code of a mail, while the app is being set up.
  await expect(setup.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await office.portal.proofsAge();
  const key = await enrols(mirel, 'Set up two-factor authentication');
  await mirel.button('Use a code by email', proof).click();
  await mirel.button('Send the code', proof).click();
  const mail = await office.portal.post.arrives(who.email, 'code');
  await mirel.writes({ 'Code from the email': mail.code() }, proof);
  await mirel.button('Continue', proof).click();
  await keepsCodes(mirel);
  await expect(section).toContainText('10 of 10 left');

  // By the app that is there.
  await office.portal.proofsAge();
  await mirel.button('Create new codes', section).click();
  await mirel.button('Create new codes', mirel.dialog('Create new recovery codes?')).click();
  await mirel.writes({ 'Code from the app': totp(key, soon()) }, proof);
  await mirel.button('Continue', proof).click();
  await keepsCodes(mirel);
  await mirel.button('Remove Authenticator app', section).click();
  await mirel.button('Remove', mirel.dialog('Remove Authenticator app?')).click();
  await mirel.isTold('Authenticator app was removed');
  await expect(section).toContainText('Off');
});

test('sessions are seen and ended, one, all others and every one @postgres', async ({ office }) => {
  const who = await client(office, 'Sol', 'Vega');
  const [sol, phone, library] = [
    await signedIn(office, who),
    await signedIn(office, who),
    await signedIn(office, who),
  ];
  await sol.opens(paths.clientProfileTab('security'));
  const section = sol.card('Sessions');
  const rows = section.getByRole('listitem');
  // Setting the password by its link began one more.
  await expect(rows).toHaveCount(4);
  await expect(rows.first()).toContainText('This device');
  await expect(rows.filter({ hasText: 'This device' })).toHaveCount(1);
  await expect(rows.filter({ hasText: /Chrom(e|ium) on Linux/ })).toHaveCount(3);

  await ends(sol, rows.nth(1).getByRole('button'), 'Sign out');
  await expect(rows).toHaveCount(3);
  // The newest other one was the library's.
  await expect(library.page).toHaveURL((url) => url.pathname === '/');
  await phone.isAt(paths.clientDashboard);

  await ends(sol, sol.button('Sign out all others', section), 'Sign out all others');
  await sol.isTold('All other sessions were signed out');
  await expect(rows).toHaveCount(1);
  await expect(phone.page).toHaveURL((url) => url.pathname === '/');
  await expect(sol.button('Sign out all others', section)).toBeHidden();

  const tablet = await signedIn(office, who);
  await expect(rows).toHaveCount(2);
  await ends(sol, sol.button('Sign out everywhere', section), 'Sign out everywhere');
  await sol.isAt('/');
  await sol.isTold('You are signed out everywhere');
  await expect(tablet.page).toHaveURL((url) => url.pathname === '/');
});

test('a new e-mail address is confirmed at both places', async ({ office }) => {
  const who = await client(office, 'Runa', 'Falk');
  const next = office.newcomer('Runa', 'Berg').email;
  const runa = await signedIn(office, who);
  await runa.opens(paths.clientProfileTab('security'));
  const section = runa.card('E-mail address');
  await runa.button('Change e-mail address', section).click();
  const dialog = runa.dialog('Change e-mail address');
  const wants = async (email: string) => {
    await runa.writes({ 'New e-mail address': email }, dialog);
    await runa.button('Send the mails', dialog).click();
  };
  await wants(who.email.toUpperCase());
  await runa.isToldBeside('New e-mail address', 'This is your address already.', dialog);
  await wants('employee@example.com');
  await runa.isToldBeside('New e-mail address', 'This e-mail address already has an account.', dialog);
  await wants(next);
  await runa.isTold('Check both inboxes');
  await expect(section).toContainText(next);
  await expect(section).toContainText('Waiting');
  await expect(section).toContainText(who.email);

  const [old, fresh] = [
    await office.portal.post.arrives(who.email, 'Confirm the change of your e-mail address'),
    await office.portal.post.arrives(next, 'Confirm your new e-mail address'),
  ];
  await runa.opens(old.link('/auth/confirm'));
  await runa.button('Confirm').click();
  await expect(runa.heading('One confirmation is left')).toBeVisible();
  const other = await office.visitor();
  await other.opens('/auth/confirm?type=email_change');
  // In another browser the digits of the mail do.
  await other.writes({ Email: next, 'Code from the mail': fresh.code() });
  await other.button('Continue').click();
  await expect(other.heading('Your e-mail address is changed')).toBeVisible();

  const again = await office.visitor();
  await again.signsIn('client', next, password);
  await again.isAt(paths.clientDashboard);
  expect(await status(Api.signIn(office.portal.url, who.email, password))).toBe(400);
});

test('a change of address is taken back', async ({ office }) => {
  const who = await client(office, 'Otto', 'Reyes');
  const next = office.newcomer('Otto', 'Quint').email;
  const otto = await signedIn(office, who);
  await otto.opens(paths.clientProfileTab('security'));
  const section = otto.card('E-mail address');
  await otto.button('Change e-mail address', section).click();
  await otto.writes({ 'New e-mail address': next });
  await otto.button('Send the mails').click();
  await expect(section).toContainText(next);
  const mail = await office.portal.post.arrives(next, 'Confirm your new e-mail address');
  await otto.button('Cancel the change', section).click();
  await otto.isTold('The change was cancelled', `You go on signing in with ${who.email}.`);
  await expect(section).not.toContainText(next);
  await otto.opens(mail.link('/auth/confirm'));
  await otto.button('Confirm').click();
  await expect(otto.page.getByRole('alert')).toBeVisible();
});

test('the history tells of good and refused sign-ins, page by page @postgres', async ({ office }) => {
  const who = await client(office, 'Hana', 'Ito');
  expect(await status(Api.signIn(office.portal.url, who.email, 'a wrong guess'))).toBe(400);
  for (let times = 0; times < 10; times += 1) await Api.signIn(office.portal.url, who.email, password);
  const hana = await signedIn(office, who);
  await hana.opens(paths.clientProfileTab('security'));
  const history = hana.page.getByRole('table', { name: 'Sign-in history' });
  await expect(history.getByRole('row')).toHaveCount(11);
  await expect(history.getByRole('row').nth(1)).toContainText(/Signed in.*Password.*Chrom(e|ium) on Linux/);
  await hana.button('Load more').click();
  await expect(hana.row(/Refused.*Wrong password/, 'Sign-in history')).toBeVisible();
});

test('the panel is in every portal, and fits a phone', async ({ office }) => {
  const phone = { viewport: { width: 390, height: 844 } };
  const everybody: [Person, string, string][] = [
    [await office.client(phone), paths.clientDashboard, paths.clientProfile],
    [await office.employee(phone), paths.employeeDashboard, paths.employeeSecurity],
    [await office.iso(phone), paths.isoDashboard, paths.isoSecurity],
    [await office.companyAdmin(phone), paths.companyDashboard, paths.companySecurity],
    [await office.superAdmin(phone), paths.adminDashboard, paths.adminSecurity],
  ];
  for (const [person, home, panel] of everybody) {
    await test.step(panel, async () => {
      await person.opens(home);
      await person.page.getByRole('button', { name: /^Account menu of/ }).click();
      await person.page.getByRole('menuitem', { name: /ecurity$/ }).click();
      await person.isAt(panel);
      if (panel === paths.clientProfile) {
        await person.page.getByRole('tab', { name: 'Security Settings' }).click();
      }
      await isQuiet(person.page);
      await expect(person.heading('Sessions')).toBeVisible();
      // Nobody has set up a provider here.
      await expect(person.heading('Linked accounts')).toBeHidden();
      expect(await sticksOut(person.page)).toEqual([]);
      expect(await barriers(person.page)).toEqual([]);
    });
  }
});

test('what cannot be loaded says so, and comes when it is asked for again', async ({ office }) => {
  const amara = await office.client();
  await amara.page.route('**/auth/v1/sessions', (route) => route.fulfill({ status: 404, body: '{}' }));
  await amara.opens(paths.clientProfileTab('security'));
  const section = amara.card('Sessions');
  await expect(section.getByRole('alert')).toContainText('This could not be loaded');
  await amara.page.unroute('**/auth/v1/sessions');
  await amara.button('Try again', section).click();
  await expect(section).toContainText('This device');
});

/** A client whose password is the demo's. */
async function client(office: Office, first: string, last: string): Promise<Newcomer> {
  const who = office.newcomer(first, last);
  await office.clientWithOrder(who);
  await office.setsPassword(who.email);
  return who;
}

/** A browser of their own. */
async function signedIn(office: Office, who: Newcomer): Promise<Visitor> {
  const visitor = await office.visitor();
  await visitor.signsIn('client', who.email, password);
  await visitor.isAt(paths.clientDashboard);
  return visitor;
}

/** A browser that knows the password, and is asked for more. */
async function asked(office: Office, who: Newcomer): Promise<Visitor> {
  const visitor = await office.visitor();
  await visitor.signsIn('client', who.email, password);
  await expect(visitor.heading('One more step')).toBeVisible();
  return visitor;
}

async function changes(person: Person, current: string, next: string): Promise<void> {
  const dialog = person.dialog('Change Password');
  const fields = { 'Current password': current, 'New password': next, 'Repeat the new password': next };
  for (const [label, text] of Object.entries(fields)) {
    await dialog.getByLabel(label, { exact: true }).fill(text);
  }
  await person.button('Change Password', dialog).click();
}

/** Adds the app whose key the dialog shows; answers the key. */
async function enrols(person: Person, title: string): Promise<string> {
  const dialog = person.dialog(title);
  const key = (await dialog.getByLabel('Key', { exact: true }).textContent()) ?? '';
  await person.writes({ 'Code from the app': totp(key) }, dialog);
  await person.button('Turn on', dialog).click();
  return key;
}

/** Reads the new codes off the screen, keeps them as a file, and says so. */
async function keepsCodes(person: Person): Promise<string[]> {
  const dialog = person.dialog('Recovery codes');
  const shown = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(shown).toHaveCount(10);
  const codes = await shown.allTextContents();
  await person.button('Done', dialog).click();
  await expect(dialog).toContainText('Save the codes first');
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

async function usesRecoveryCode(person: Person, code: string, switches = true): Promise<void> {
  if (switches) await person.button('Use a recovery code').click();
  await person.writes({ 'Recovery code': code });
  await person.button('Continue').click();
}

/** Presses what ends sessions, and confirms it. */
async function ends(person: Person, button: ReturnType<Person['button']>, verb: string): Promise<void> {
  await button.click();
  await person.button(verb, person.page.getByRole('dialog')).click();
}

/** The next code: the present one was used, and the server takes none twice. */
const soon = () => Date.now() + 30_000;

/** Six digits that no moment near now has. */
function wrong(key: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => totp(key, Date.now() + steps * 30_000)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '';
}

async function status(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 200,
    (error: unknown) => (error instanceof Refused ? error.status : 0),
  );
}
