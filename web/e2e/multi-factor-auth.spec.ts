/** MFA: TOTP challenge, recovery codes, enrolment and password reset at aal2. */
import { paths } from '../src/paths';
import { Api } from './support/api';
import { Authenticator } from './support/authenticator';
import type { TestServer } from './support/server';
import type { Person, Visitor } from './support/users';
import { password } from './support/portal';
import { axeViolations, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const code = 'Code from the app';
const WRONG_CODE = "Wrong code. Wait for the next one and check that your phone's clock is correct.";

interface Protected {
  email: string;
  first: string;
  app: Authenticator;
  /** API at aal2. */
  api: Api;
}

/** A client with an authenticator. */
async function protectedClient(office: TestServer, first: string): Promise<Protected> {
  const who = office.newPerson(first, 'Safe');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const session = await Api.signIn(office.portal.url, who.email, password);
  return { email: who.email, first, ...(await Authenticator.enrol(new Api(office.portal.url, session))) };
}

test('sign-in with an authenticator asks for the code and continues to the requested page', async ({
  office,
}) => {
  const { email, app } = await protectedClient(office, 'Tove');
  const tove = await office.visitor();
  await tove.open(paths.clientOrders);
  await tove.expectPath('/');
  await tove.signIn('client', email, password);
  await expect(tove.heading('Two-factor authentication')).toBeVisible();
  await expectNoOverflow(tove);
  await tove.button('Continue').click();
  await tove.expectFieldError(code, 'Enter the six-digit code.');
  await tove.fillFields({ [code]: '12 34 5' });
  await expect(tove.field(code)).toHaveValue('12345');
  await tove.fillFields({ [code]: '000000' });
  await tove.button('Continue').click();
  await tove.expectFieldError(code, WRONG_CODE);
  await tove.fillFields({ [code]: await app.code() });
  await tove.button('Continue').click();
  await tove.expectPath(paths.clientOrders);
  await expect(tove.page.getByRole('table', { name: 'All orders' })).toBeVisible();
  await tove.page.reload();
  await tove.expectPath(paths.clientOrders);
});

test('MFA challenge cannot be skipped and offers another account', async ({ office }) => {
  const { email } = await protectedClient(office, 'Aron');
  const aron = await office.visitor();
  await aron.signIn('client', email, password);
  await expect(aron.heading('Two-factor authentication')).toBeVisible();
  await aron.open(paths.clientDashboard);
  await aron.expectPath(`${paths.mfa}?next=${encodeURIComponent(paths.clientDashboard)}`);
  await aron.open(paths.newPassword);
  await expect(aron.heading('Two-factor authentication')).toBeVisible();
  await aron.open(`${paths.mfa}?next=${encodeURIComponent('//example.com/')}`);
  await aron.button('Use another account').click();
  await aron.expectPath('/');
  await aron.open(paths.mfa);
  await aron.expectPath('/');
});

test('recovery code signs in once without the authenticator', async ({ office }) => {
  const { email, api } = await protectedClient(office, 'Rita');
  const { codes } = await api.post<{ codes: string[] }>('/auth/v1/factors/recovery-codes');
  const used = codes[0] ?? '';
  for (const works of [true, false]) {
    const rita = await office.visitor();
    await rita.signIn('client', email, password);
    await rita.button('Use a recovery code').click();
    await expect(rita.field('Recovery code')).toBeFocused();
    await rita.fillFields({ 'Recovery code': used });
    await rita.button('Continue').click();
    if (works) await expect(rita.heading('Welcome, Rita')).toBeVisible();
    else {
      await rita.expectFieldError('Recovery code', 'This recovery code is wrong or was already used.');
      await rita.fillFields({ 'Recovery code': codes[1] ?? '' });
      await rita.button('Continue').click();
      await rita.expectPath(paths.clientDashboard);
      await rita.open(paths.clientProfileTab('security'));
      await expect(rita.row(/Failed.*Wrong recovery code/, 'Sign-in history')).toBeVisible();
    }
  }
});

test('password recovery requires the TOTP code, by link and by code', async ({ office }) => {
  const lost = await protectedClient(office, 'Lost');
  const recovered = await office.visitor();
  await recovered.open(paths.forgotPassword);
  await recovered.fillFields({ Email: lost.email });
  await recovered.button('Send link').click();
  const mail = await office.portal.post.waitForMail(lost.email, 'Choose a new password');
  await recovered.open(mail.link(paths.resetPassword));
  await recovered.button('Continue').click();
  await choosePassword(recovered, lost.app, 'a sentence by link');

  const other = await protectedClient(office, 'Typed');
  const typing = await office.visitor();
  await typing.open(paths.forgotPassword);
  await typing.fillFields({ Email: other.email });
  await typing.button('Send link').click();
  const digits = (await office.portal.post.waitForMail(other.email, 'Choose a new password')).code();
  await typing.fillFields({ 'Code from the email': digits });
  await typing.button('Continue').click();
  await choosePassword(typing, other.app, 'a sentence by code');
});

test('code verified in one tab continues the other tab too', async ({ office }) => {
  const { email, app } = await protectedClient(office, 'Twain');
  const twain = await office.visitor();
  await twain.signIn('client', email, password);
  await expect(twain.heading('Two-factor authentication')).toBeVisible();
  const other = await twain.page.context().newPage();
  await other.goto(paths.clientOrders);
  await expect(other.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible();
  await twain.fillFields({ [code]: await app.code() });
  await twain.button('Continue').click();
  await twain.expectPath(paths.clientDashboard);
  await expect(other).toHaveURL((url) => url.pathname === paths.clientOrders);
});

test('repeated wrong codes are throttled', async ({ office }) => {
  const { email } = await protectedClient(office, 'Guess');
  const guess = await office.visitor();
  await guess.signIn('client', email, password);
  await expect(guess.heading('Two-factor authentication')).toBeVisible();
  await expect(async () => {
    await guess.fillFields({ [code]: '000000' });
    await guess.button('Continue').click();
    await expect(guess.field(code)).toHaveAccessibleDescription(/Try again in \d+ seconds?\./, {
      timeout: 1000,
    });
  }).toPass({ timeout: 40_000 });
  await expect(guess.button('Continue')).toBeDisabled();
  await expect(guess.button('Continue')).toBeEnabled({ timeout: 20_000 });
});

test('role that requires MFA must enrol first, and an open page is redirected there and back', async ({
  ownOffice: office,
}) => {
  // Elias is signed in when MFA becomes required.
  const elias = await office.visitor();
  await elias.open(paths.login('employee'));
  // The welcome toast closes after five seconds, which a slow page load may take.
  await Promise.all([
    elias.expectToast('Welcome back!'),
    elias.submitSignIn('employee@example.com', password),
  ]);
  await expect(elias.heading('Employee dashboard')).toBeVisible();
  await elias.page.getByRole('tab', { name: 'Companies', exact: true }).click();
  await elias.expectPath(paths.employeeTab('companies'));
  await expect(elias.row('Meridian Ventures', 'Companies')).toBeVisible();
  const admin = await office.api();
  await expectMfaRequired(admin);

  // The open page is redirected to enrolment.
  await expect(elias.heading('Protect your account')).toBeVisible();
  await elias.expectPath(`${paths.mfaSetup}?next=${encodeURIComponent(paths.employeeTab('companies'))}`);
  await expectNoOverflow(elias);
  await expect(elias.page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const key = await elias.page.getByLabel('Key', { exact: true }).first().innerText();
  const app = new Authenticator(key);
  await elias.fillFields({ [code]: await app.code() });
  await elias.button('Turn on').click();

  const codes = elias.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(elias.heading('Save your recovery codes')).toBeVisible();
  await expect(codes.first()).toBeVisible();
  await expectNoOverflow(elias);
  await elias.button('Done').click();
  await expect(elias.page.getByText('Save the codes, then check this box.')).toBeVisible();
  await elias.page.getByRole('checkbox', { name: 'I have saved these codes' }).check();
  await Promise.all([
    elias.expectToast('Welcome back!', 'Successfully logged in to Employee Portal'),
    elias.button('Done').click(),
  ]);
  await elias.expectPath(paths.employeeTab('companies'));

  // The code is required from now on.
  const later = await office.visitor();
  await later.signIn('employee', 'employee@example.com', password);
  await expect(later.heading('Two-factor authentication')).toBeVisible();
  await later.fillFields({ [code]: await app.code() });
  await Promise.all([
    later.expectToast('Welcome back!', 'Successfully logged in to Employee Portal'),
    later.button('Continue').click(),
  ]);
  await later.expectPath(paths.employeeDashboard);
});

test('repeated wrong passwords are throttled with a countdown', async ({ office }) => {
  const who = office.newPerson('Slow', 'Down');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const visitor = await office.visitor();
  await visitor.open(paths.login('client'));
  await expect(async () => {
    await visitor.submitSignIn(who.email, 'not the password');
    await expect(visitor.page.getByText(/^Too many attempts\. Try again in [2-9]\d* seconds\.$/)).toBeVisible(
      {
        timeout: 1000,
      },
    );
  }).toPass({ timeout: 40_000 });
  await expect(visitor.button('Sign in')).toBeDisabled();
  await expect(visitor.button('Sign in')).toBeEnabled({ timeout: 20_000 });
  // Throttling never locks the owner out with the right code.
  await visitor.submitSignIn(who.email, password);
  await visitor.expectPath(paths.clientDashboard);
});

/** The recovery mail proves the address; the second factor is still missing. */
async function choosePassword(visitor: Visitor, app: Authenticator, chosen: string): Promise<void> {
  await expect(visitor.heading('Two-factor authentication')).toBeVisible();
  await expectNoOverflow(visitor);
  await visitor.fillFields({ [code]: await app.code() });
  await visitor.button('Continue').click();
  await expect(visitor.heading('Choose a new password')).toBeVisible();
  await visitor.fillFields({ 'New password': chosen, 'Repeat the password': chosen });
  await visitor.button('Save password').click();
  await visitor.expectToast('Password saved');
  await visitor.expectPath(paths.clientDashboard);
}

async function expectNoOverflow(person: Person): Promise<void> {
  expect.soft(await overflowingElements(person.page), 'scrolls sideways').toEqual([]);
  expect.soft(await axeViolations(person.page), 'axe').toEqual([]);
}

/** Makes MFA required for all staff roles. */
async function expectMfaRequired(admin: Api): Promise<void> {
  await admin.put('/rest/v1/settings', { require_mfa: { employee: true } });
}
