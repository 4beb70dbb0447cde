/** Email links and codes: single use, and nothing is consumed before a click. */
import { paths } from '../src/paths';
import { Api } from './support/api';
import { tokenResponse } from './support/authJsClient';
import type { NewPerson, TestServer } from './support/server';
import type { Visitor } from './support/users';
import { password } from './support/portal';
import { axeViolations } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const NEW_PASSWORD = 'a sentence by mail';

async function client(office: TestServer, first: string): Promise<NewPerson> {
  const who = office.newPerson(first, 'Post');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  return who;
}

test('password recovery link returns to the browser that requested it', async ({ office }) => {
  const who = await client(office, 'Same');
  const same = await office.visitor();
  await requestPasswordReset(same, who.email);
  const mail = await office.portal.post.waitForMail(who.email, 'Choose a new password');
  const link = mail.link(paths.resetPassword);
  const tab = await same.page.context().newPage();
  await tab.goto(link);
  await tab.getByRole('button', { name: 'Continue' }).click();
  await expect(tab.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  // The URL no longer contains the token or the code.
  await expect(tab).toHaveURL((url) => url.pathname === paths.resetPassword && !url.search && !url.hash);
  await tab.getByRole('textbox', { name: 'New password' }).fill(NEW_PASSWORD);
  await tab.getByRole('textbox', { name: 'Repeat the password' }).fill(NEW_PASSWORD);
  await tab.getByRole('button', { name: 'Save password' }).click();
  await expect(tab.getByRole('heading', { name: 'Welcome, Same' })).toBeVisible();

  await tab.goto(link);
  await tab.getByRole('button', { name: 'Continue' }).click();
  await expect(tab.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible();
});

test('another browser enters the six-digit code, and wrong codes are rejected', async ({ office }) => {
  const who = await client(office, 'Other');
  const desk = await office.visitor();
  await requestPasswordReset(desk, who.email);
  const mail = await office.portal.post.waitForMail(who.email, 'Choose a new password');

  const phone = await office.visitor({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await phone.open(mail.link(paths.resetPassword));
  await expect(phone.heading('Enter the code from the email')).toBeVisible();
  expect.soft(await axeViolations(phone.page)).toEqual([]);
  const wrong = mail.code() === '000000' ? '111111' : '000000';
  await phone.fillFields({ Email: who.email, 'Code from the email': wrong });
  await phone.button('Continue').click();
  await expect(phone.page.getByRole('alert')).toHaveText(
    'This code is wrong or has expired. Check it or request a new one.',
  );
  await phone.fillFields({ 'Code from the email': mail.code() });
  await phone.button('Continue').click();
  await expect(phone.heading('Choose a new password')).toBeVisible();
  await phone.fillFields({ 'New password': NEW_PASSWORD, 'Repeat the password': NEW_PASSWORD });
  await phone.button('Save password').click();
  await phone.expectToast('Password saved');
  await phone.expectPath(paths.clientDashboard);
});

test('expired links and codes are rejected', async ({ ownOffice: office }) => {
  const late = await office.visitor();
  await requestPasswordReset(late, 'client@example.com');
  const first = await office.portal.post.waitForMail('client@example.com', 'Choose a new password');
  await office.portal.expireLinksAndCodes();
  await late.open(first.link(paths.resetPassword));
  await late.button('Continue').click();
  await expect(late.heading('This link is no longer valid')).toBeVisible();

  // The click is in time, but its code has expired.
  await requestPasswordReset(late, 'iso@example.com');
  const second = await office.portal.post.waitForMail('iso@example.com', 'Choose a new password');
  await late.page.route(/grant_type=pkce/, async (route) => {
    await office.portal.expireLinksAndCodes();
    await route.continue();
  });
  await late.open(second.link(paths.resetPassword));
  const response = await tokenResponse(late.page, 'pkce', () => late.button('Continue').click());
  expect(response).toEqual({ status: 422, code: 'flow_state_expired' });
  await expect(late.field('Code from the email')).toBeVisible();
  await late.open(paths.clientDashboard);
  await late.expectPath('/');
});

test('recovery session too old to set a password says so and offers another mail', async ({
  ownOffice: office,
}) => {
  const saves = async (late: Visitor) => {
    await late.fillFields({ 'New password': NEW_PASSWORD, 'Repeat the password': NEW_PASSWORD });
    await late.button('Save password').click();
    await expect(late.heading('This page expired')).toBeVisible();
    await expect(late.page.getByRole('alert')).toContainText("Your password wasn't saved.");
    expect.soft(await axeViolations(late.page)).toEqual([]);
    await expect(late.button('Send link')).toBeEnabled();
  };
  const slow = await office.visitor();
  await requestPasswordReset(slow, 'client@example.com');
  const mail = await office.portal.post.waitForMail('client@example.com', 'Choose a new password');
  await slow.open(mail.link(paths.resetPassword));
  await slow.button('Continue').click();
  await expect(slow.heading('Choose a new password')).toBeVisible();
  await office.portal.ageSessionsBy16Minutes();
  await saves(slow);

  // By code, a day later.
  const later = await office.visitor();
  await requestPasswordReset(later, 'iso@example.com');
  const other = await office.portal.post.waitForMail('iso@example.com', 'Choose a new password');
  await later.fillFields({ 'Code from the email': other.code() });
  await later.button('Continue').click();
  await expect(later.heading('Choose a new password')).toBeVisible();
  await office.portal.ageSessionsBy25Hours();
  await saves(later);
  await later.fillFields({ Email: 'employee@example.com' });
  await later.button('Send link').click();
  await expect(later.heading('Check your email')).toBeVisible();
});

test('PKCE code needs the code verifier of the requesting browser and works once', async ({ office }) => {
  const who = await client(office, 'Secret');
  const same = await office.visitor();
  await requestPasswordReset(same, who.email);
  const mail = await office.portal.post.waitForMail(who.email, 'Choose a new password');
  const secrets = await same.page.evaluate(() => {
    const kept = Object.keys(localStorage)
      .filter((key) => key.endsWith('code-verifier'))
      .map((key): [string, string] => [key, localStorage.getItem(key) ?? '']);
    for (const [key] of kept) localStorage.setItem(key, JSON.stringify(`${'x'.repeat(112)}/recovery`));
    return kept;
  });
  await same.open(mail.link(paths.resetPassword));
  const wrong = await tokenResponse(same.page, 'pkce', () => same.button('Continue').click());
  expect(wrong).toEqual({ status: 400, code: 'bad_code_verifier' });
  await expect(same.field('Code from the email')).toBeVisible();

  const back = same.page.url();
  const comesBack = async () => {
    await same.page.evaluate((kept) => {
      for (const [key, secret] of kept) localStorage.setItem(key, secret);
    }, secrets);
    return tokenResponse(same.page, 'pkce', () => same.open(back));
  };
  expect(await comesBack()).toEqual({ status: 200 });
  await expect(same.heading('Choose a new password')).toBeVisible();
  await expect(same.page).toHaveURL((url) => url.pathname === paths.resetPassword && !url.search);
  // The second use opens nothing and ends nothing.
  expect(await comesBack()).toEqual({ status: 404, code: 'flow_state_not_found' });
  await expect(same.heading('Choose a new password')).toBeVisible();
});

test('sign-in link needs a click and works once', async ({ office }) => {
  const who = await client(office, 'Magic');
  await new Api(office.portal.url).post('/auth/v1/otp', { email: who.email, create_user: false });
  const mail = await office.portal.post.waitForMail(who.email, 'Sign in to');
  const link = mail.link(paths.confirm);
  for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200);

  const magic = await office.visitor();
  await magic.open(link);
  await expect(magic.heading('Sign in with a link')).toBeVisible();
  expect.soft(await axeViolations(magic.page)).toEqual([]);
  await magic.button('Sign in').click();
  await magic.expectPath(paths.clientDashboard);
  await expect(magic.heading('Welcome, Magic')).toBeVisible();

  const later = await office.visitor();
  await later.open(link);
  await later.button('Sign in').click();
  await expect(later.heading('This link is no longer valid')).toBeVisible();
  // Mails have a cooldown of one minute, shown as a countdown.
  await later.fillFields({ Email: who.email });
  await later.button('Send link').click();
  await expect(later.page.getByText(/^You can request another email in \d+ seconds?\.$/)).toBeVisible();
  await expect(later.button('Send link')).toBeDisabled();
});

test('six-digit code of a sign-in link works on any device', async ({ office }) => {
  const who = await client(office, 'Digit');
  await new Api(office.portal.url).post('/auth/v1/otp', { email: who.email, create_user: false });
  const mail = await office.portal.post.waitForMail(who.email, 'Sign in to');
  const digit = await office.visitor();
  await digit.open(`${paths.confirm}?type=magiclink`);
  await digit.fillFields({ Email: who.email, 'Code from the email': mail.code() });
  await digit.button('Continue').click();
  await expect(digit.heading('Welcome, Digit')).toBeVisible();
});

test('link never redirects to another site (no open redirect)', async ({ office }) => {
  const who = await client(office, 'Led');
  await new Api(office.portal.url).post('/auth/v1/otp', { email: who.email, create_user: false });
  const mail = await office.portal.post.waitForMail(who.email, 'Sign in to');
  const link = new URL(mail.link(paths.confirm));
  link.searchParams.set('redirect_to', 'https://example.com/steal');
  const led = await office.visitor();
  await led.open(link.href);
  await led.button('Sign in').click();
  await led.expectPath(paths.clientDashboard);
});

test('link requested by another program redirects there with its parameters', async ({ office }) => {
  const there = 'http://127.0.0.1:4100/welcome';
  const asks = `redirect_to=${encodeURIComponent(there)}`;
  const anonymous = new Api(office.portal.url);
  const reader = await office.visitor();
  await reader.page.route(/:4100\/welcome/, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  const isBack = async (brings: Record<string, string>) => {
    await expect(reader.page).toHaveURL((url) => url.href.startsWith(`${there}#`));
    const brought = new URLSearchParams(new URL(reader.page.url()).hash.slice(1));
    for (const [name, value] of Object.entries(brings)) expect(brought.get(name), name).toContain(value);
    // The token is in the fragment only, never sent to another server.
    await reader.open(paths.clientDashboard);
    await reader.expectPath('/');
  };

  const magic = await client(office, 'Guest');
  await anonymous.post(`/auth/v1/otp?${asks}`, { email: magic.email, create_user: false });
  const signs = await office.portal.post.waitForMail(magic.email, 'Sign in to');
  await reader.open(signs.link(paths.confirm));
  await reader.button('Sign in').click();
  await isBack({ type: 'magiclink', access_token: '.', refresh_token: '' });

  const lost = await client(office, 'Lost');
  await anonymous.post(`/auth/v1/recover?${asks}`, { email: lost.email });
  const recovers = await office.portal.post.waitForMail(lost.email, 'Choose a new password');
  await reader.open(recovers.link(paths.resetPassword));
  await reader.button('Continue').click();
  await isBack({ type: 'recovery', access_token: '.' });

  const moved = await client(office, 'Abroad');
  const next = office.newPerson('Abroad', 'House').email;
  const session = await Api.signIn(office.portal.url, moved.email, password);
  await new Api(office.portal.url, session).put(`/auth/v1/user?${asks}`, { email: next });
  const old = await office.portal.post.waitForMail(moved.email, 'Confirm your email address change');
  const fresh = await office.portal.post.waitForMail(next, 'Confirm your new email address');
  await reader.open(old.link(paths.confirm));
  await reader.button('Confirm').click();
  await isBack({ message: 'confirm link sent to the other email' });
  await reader.open(fresh.link(paths.confirm));
  await reader.button('Confirm').click();
  await isBack({ type: 'email_change', access_token: '.' });
});

test('email change is confirmed at the old and the new address', async ({ office }) => {
  const who = await client(office, 'Moved');
  const next = office.newPerson('Moved', 'House').email;
  const session = await Api.signIn(office.portal.url, who.email, password);
  await new Api(office.portal.url, session).put('/auth/v1/user', { email: next });
  const old = await office.portal.post.waitForMail(who.email, 'Confirm your email address change');
  const fresh = await office.portal.post.waitForMail(next, 'Confirm your new email address');

  const moved = await office.visitor();
  await moved.open(old.link(paths.confirm));
  await expect(moved.heading('Confirm the new email address')).toBeVisible();
  await moved.button('Confirm').click();
  await expect(moved.heading('One more confirmation needed')).toBeVisible();
  await moved.open(fresh.link(paths.confirm));
  await moved.button('Confirm').click();
  await expect(moved.heading('Email address changed')).toBeVisible();
  await moved.signIn('client', next, password);
  await expect(moved.heading('Welcome, Moved')).toBeVisible();
});

async function requestPasswordReset(visitor: Visitor, email: string): Promise<void> {
  await visitor.open(paths.login('client'));
  await visitor.link('Forgot password?').click();
  await expect(visitor.heading('Forgot your password?')).toBeVisible();
  await visitor.fillFields({ Email: email });
  await visitor.button('Send link').click();
  await expect(visitor.heading('Check your email')).toBeVisible();
}
