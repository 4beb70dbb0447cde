/** Client invitation: from an order made with spvctl to the client who follows it. */
import { expect, test } from './support/fixtures';
import type { TestServer } from './support/server';
import type { Visitor } from './support/users';
import { password } from './support/portal';

const PASSWORD = 'a sentence that only Maya knows';
const NEW_PASSWORD = 'another sentence of Maya';

test('client of an order created with spvctl sets a password and follows the order @postgres', async ({
  office,
}) => {
  const newcomer = office.newPerson('Maya', 'Ortiz');
  const said = await office.portal.spvctl(
    ...['client', 'create', '--setup', 'quick', '--first-name', 'Maya', '--last-name', 'Ortiz'],
    ...['--email', newcomer.email, '--company', 'Meridian Ventures', '--iso', 'iso@example.com'],
    ...['--price', '1250.00', '--commission', '125.00', '--country', 'JP'],
  );
  expect(said.words).toContain('Client has been created and notified via email');
  expect(said.code).toBe(0);

  const setUp = await office.portal.post.waitForMail(newcomer.email, 'Set your password');
  const link = setUp.link('/auth/reset-password');
  expect(link).toContain(`${office.portal.url}/auth/reset-password?token_hash=`);
  // The link in the notification leads to sign-in, which needs the password first.
  const before = await office.portal.post.mails();
  expect(before.filter((mail) => mail.to.includes(newcomer.email))).toHaveLength(1);

  await scanLink(link, office);

  const maya = await office.visitor();
  await maya.open(link);
  await expect(maya.heading('Set your password')).toBeVisible();
  await maya.button('Continue').click();
  await expect(maya.heading('Choose a password')).toBeVisible();
  await expect(maya.page.getByText(/session/i)).toHaveCount(0);
  await maya.fillFields({ Password: PASSWORD, 'Repeat the password': PASSWORD });
  await maya.button('Save password').click();
  await maya.expectToast('Password saved');
  await maya.expectPath('/client-dashboard');
  const ordered = await office.portal.post.waitForMail(newcomer.email, 'has been created');
  expect(ordered.text).toMatch(/\/client-dashboard\/orders\/[0-9a-f-]{36}$/m);
  for (const mail of [setUp, ordered]) {
    expect(mail.html).toContain('Hi Maya Ortiz');
    expect(mail.id).toMatch(/^<.+@.+>$/);
  }

  const again = await office.visitor();
  await again.signIn('client', newcomer.email, PASSWORD);
  await again.expectPath('/client-dashboard');
  await expect(maya.heading('Welcome, Maya')).toBeVisible();
  await expect(maya.card('Processing')).toContainText('1');
  await expect(maya.card('Pending')).toContainText('0');
  await expect(maya.card('Completed')).toContainText('0');
  const order = maya.page.getByRole('article');
  await expect(order).toHaveCount(1);
  await expect(order).toContainText(/SPV-[0-9a-f]{8}/);
  await expect(order).toContainText('Active');
  await expect(order).toContainText('Document Review Phase');
  await expect(order.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '0');

  await maya.link(`View Details of ${await identifierOf(maya)}`, order).click();
  await expect(maya.heading('Our progress')).toBeVisible();
  const steps = maya.page.getByRole('list', { name: 'Our progress' }).getByRole('listitem');
  await expect(steps.nth(4)).toBeVisible();
  await expect(maya.page.getByText('Japan', { exact: true })).toBeVisible();

  // The new password exists only in this test; the account is active now.
  const listed = await office.portal.operator<{ status: string }>('client', 'show', newcomer.email);
  expect(listed.status).toBe('active');
});

test('used link says so and offers a new mail, whose code works too', async ({ office }) => {
  const newcomer = office.newPerson('Noor', 'Haddad');
  await office.clientWithOrder(newcomer);
  const mail = await office.portal.post.waitForMail(newcomer.email, 'Set your password');
  const link = mail.link('/auth/reset-password');

  const noor = await office.visitor();
  await noor.open(link);
  await noor.button('Continue').click();
  await noor.fillFields({ Password: PASSWORD, 'Repeat the password': PASSWORD });
  await noor.button('Save password').click();
  await expect(noor.heading('Welcome, Noor')).toBeVisible();

  const later = await office.visitor();
  await later.open(link);
  await later.button('Continue').click();
  await expect(later.heading('This link is no longer valid')).toBeVisible();
  await expect(later.page.getByText('It has expired or was already used.')).toBeVisible();

  await later.button('Send link').click();
  await later.expectFieldError('Email', 'Enter your email address.');
  await later.fillFields({ Email: newcomer.email });
  await later.button('Send link').click();
  await expect(later.heading('Check your email')).toBeVisible();

  const recovery = await office.portal.post.waitForMail(newcomer.email, 'Choose a new password');
  await later.fillFields({ 'Code from the email': recovery.code() });
  await later.button('Continue').click();
  await setPassword(later, NEW_PASSWORD);
  await expect(later.heading('Welcome, Noor')).toBeVisible();

  // Verifying the code consumes the link of the same mail.
  await later.open(recovery.link('/auth/reset-password'));
  await later.button('Continue').click();
  await expect(later.heading('This link is no longer valid')).toBeVisible();
});

test('password recovery accepts the emailed six-digit code and no other', async ({ office }) => {
  const newcomer = office.newPerson('Ida', 'Lund');
  await office.clientWithOrder(newcomer);
  await office.setPassword(newcomer.email);

  // A session opened with the old password.
  const elsewhere = await office.visitor();
  await elsewhere.signIn('client', newcomer.email, password);
  await expect(elsewhere.heading('Welcome, Ida')).toBeVisible();

  const ida = await office.visitor();
  await ida.open('/auth/login/client');
  await ida.link('Forgot password?').click();
  // The address changes before the page, and both have this field.
  await expect(ida.heading('Forgot your password?')).toBeVisible();
  await ida.fillFields({ Email: newcomer.email.toUpperCase() });
  await ida.button('Send link').click();
  await expect(ida.heading('Check your email')).toBeVisible();

  const mail = await office.portal.post.waitForMail(newcomer.email, 'Choose a new password');
  const wrong = mail.code() === '000000' ? '111111' : '000000';
  await ida.fillFields({ 'Code from the email': '12ab' });
  await ida.button('Continue').click();
  await ida.expectFieldError('Code from the email', 'Enter the six-digit code.');
  await ida.fillFields({ 'Code from the email': wrong });
  await ida.button('Continue').click();
  await expect(ida.page.getByRole('alert')).toHaveText(
    'This code is wrong or has expired. Check it or request a new one.',
  );

  await ida.fillFields({ 'Code from the email': mail.code() });
  await ida.button('Continue').click();
  await expect(ida.heading('Choose a new password')).toBeVisible();
  await ida.fillFields({ 'New password': 'short', 'Repeat the password': 'short' });
  await ida.button('Save password').click();
  await ida.expectFieldError('New password', 'Use at least 8 characters.');
  await ida.fillFields({ 'New password': PASSWORD, 'Repeat the password': NEW_PASSWORD });
  await ida.button('Save password').click();
  await ida.expectFieldError('Repeat the password', "The passwords don't match.");
  await setPassword(ida, PASSWORD);
  await expect(ida.heading('Welcome, Ida')).toBeVisible();

  // A password reset revokes the other sessions and the old password.
  await elsewhere.open('/client-dashboard');
  await elsewhere.expectPath('/');
  await elsewhere.signIn('client', newcomer.email, password);
  await elsewhere.expectErrorToast('Login Failed', 'Incorrect email address or password.');
});

test('password recovery does not reveal unknown addresses and sends them no mail', async ({ office }) => {
  const anonymous = office.newPerson('No', 'Body');
  const client = office.newPerson('Sam', 'Boddy');
  await office.clientWithOrder(client);
  await office.setPassword(client.email);

  const visitor = await office.visitor();
  for (const { email } of [anonymous, client]) {
    await visitor.open('/auth/forgot-password');
    await visitor.fillFields({ Email: email });
    await visitor.button('Send link').click();
    await expect(visitor.heading('Check your email')).toBeVisible();
    await expect(visitor.page.getByRole('main').getByRole('status')).toContainText(
      `If there is an account for ${email}`,
    );
  }
  await office.portal.post.waitForMail(client.email, 'Choose a new password');
  const mails = await office.portal.post.mails();
  expect(mails.filter((mail) => mail.to.includes(anonymous.email))).toEqual([]);
});

test('client dashboard has loading, error, empty and filled states', async ({ office }) => {
  const newcomer = office.newPerson('Elin', 'Sund');
  const { spv } = await office.clientWithOrder(newcomer);
  await office.setPassword(newcomer.email);
  const elin = await office.person(newcomer.email);
  elin.allowError(/500/);
  const address = '**/rest/v1/dashboards/client';
  let response: (what: 'broken' | 'empty') => void = () => undefined;
  await elin.page.route(address, async (route) => {
    const what = await new Promise<'broken' | 'empty'>((resolve) => (response = resolve));
    if (what === 'broken') return route.fulfill({ status: 500 });
    const none = { processing: 0, pending: 0, completed: 0, spvs: [], activity: [], representative: null };
    return route.fulfill({ json: none });
  });
  await elin.open('/client-dashboard');
  await expect(elin.heading('Welcome, Elin')).toBeVisible();
  await expect(elin.page.locator('[aria-busy="true"]').first()).toBeVisible();
  // Failed queries are retried before the error shows.
  await expect(async () => {
    response('broken');
    await expect(elin.page.getByText("Couldn't load this")).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await elin.button('Try again').click();
  await expect(async () => {
    response('empty');
    await expect(
      elin.page.getByText('No SPVs found. Create your first SPV order to get started.'),
    ).toBeVisible({ timeout: 500 });
  }).toPass();
  for (const label of ['Processing', 'Pending', 'Completed'])
    await expect(elin.card(label)).toContainText('0');
  await expect(elin.heading('Need Help?')).toBeVisible();
  await elin.page.unroute(address);
  await elin.page.reload();
  const card = elin.page.getByRole('article', { name: spv.identifier });
  await expect(card).toContainText('Document Review Phase');
  // Progress is 0 %, so the bar has no width.
  await expect(card.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '0');
  await expect(card.getByRole('link', { name: `Upload Docs of ${spv.identifier}` })).toBeVisible();
  await expect(elin.card('Processing')).toContainText('1');
  for (const action of ['New SPV Order', 'Upload Documents', 'Contact Support', 'Make Payment'])
    await expect(elin.link(action).first()).toBeVisible();
});

test('spvctl prompts for missing values on a terminal', async ({ office }) => {
  const newcomer = office.newPerson('Bo', 'Ahlgren');
  const said = await office.portal.onTerminal(
    ['client', 'create', '--setup', 'quick', '--company', 'Meridian Ventures'],
    [
      ['First name', 'Bo'],
      ['Last name', 'Ahlgren'],
      ['Email', newcomer.email],
      ['ISO partner', ''],
      ['Country', ''],
      ['Price', 'much'],
      ['Enter an amount', '\u0015990.50'],
      ['Continue?', 'y'],
    ],
  );
  expect(said.words).toContain('Client has been created and notified via email');
  expect(said.code).toBe(0);
  await office.portal.post.waitForMail(newcomer.email, 'Set your password');
  const client = await office.portal.operator<{ name: string; iso: string | null }>(
    ...['client', 'show', newcomer.email],
  );
  expect(client).toMatchObject({ name: 'Bo Ahlgren', iso: null });
});

test('spvctl without a terminal names missing values and creates nothing', async ({ office }) => {
  const newcomer = office.newPerson('Una', 'Silva');
  const said = await office.portal.spvctl('client', 'create', '--setup', 'quick', '--email', newcomer.email);
  expect(said.code).toBe(2);
  expect(said.words).toMatch(/missing --first-name, --last-name, --company, --price/);
  const shown = await office.portal.spvctl('client', 'show', newcomer.email);
  expect(shown.code).toBe(1);
});

async function setPassword(person: Visitor, PASSWORD: string): Promise<void> {
  await expect(person.heading('Choose a new password')).toBeVisible();
  await person.fillFields({ 'New password': PASSWORD, 'Repeat the password': PASSWORD });
  await person.button('Save password').click();
  await person.expectToast('Password saved');
}

/** Acts like a mail scanner: fetches and renders the link repeatedly without pressing anything. */
async function scanLink(link: string, office: TestServer): Promise<void> {
  for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
    const response = await fetch(link, { method });
    expect(response.status).toBe(200);
  }
  const scanner = await office.visitor();
  await scanner.open(link);
  await expect(scanner.button('Continue')).toBeVisible();
}

async function identifierOf(person: Visitor): Promise<string> {
  return person.page.getByRole('article').getByRole('heading').innerText();
}
