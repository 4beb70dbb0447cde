/**
 * Account applications: the forms request an account from staff and never create one. Applications are rate limited per
 * address, so every test has its own server.
 */
import type { TestServer } from './support/server';
import type { Person } from './support/users';
import { axeViolations, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const missing = ['Missing Information', 'Please fill in all required fields'] as const;
const required = 'Please fill in this field.';

interface Request {
  reference: string;
  email: string;
  name: string;
}

/** Name of each form and its fields beside name, email and phone. */
const kinds = [
  {
    kind: 'client',
    title: 'Apply for a client account',
    asks: { Company: 'Novak Holding' },
    chooses: { 'Where should the SPV be formed?': 'Singapore' },
    tells: { 'What is it for?': 'One building in Prague.' },
    empty: ['First name', 'Last name', 'Email', 'Where should the SPV be formed?'],
  },
  {
    kind: 'employee',
    title: 'Apply for an employee account',
    asks: { 'Job title': 'Paralegal', Department: 'Formation' },
    chooses: {},
    tells: { 'What do you need access for?': 'To move the steps of my clients.' },
    empty: ['First name', 'Last name', 'Email', 'Job title', 'What do you need access for?'],
  },
  {
    kind: 'iso',
    title: 'Apply to become an ISO',
    asks: { Phone: '+420 555 0100', 'Business Name': 'Novak Partners s.r.o.', Website: 'novak.example' },
    chooses: { 'Clients per year': '11-50' },
    tells: { 'Your experience': 'Ten years of introducing funds.' },
    empty: ['First name', 'Last name', 'Email', 'Phone', 'Business Name'],
  },
  {
    kind: 'company',
    title: 'Apply for a company account',
    asks: { 'Company name': 'Novak', 'Business Name': 'Novak a.s.', 'Job title': 'CFO' },
    chooses: { 'Company size': '201+' },
    tells: {},
    empty: ['First name', 'Last name', 'Email', 'Company name', 'Business Name'],
  },
] as const;

for (const { kind, title, asks, chooses, tells, empty } of kinds) {
  test(`${kind} application form validates fields, submits, and creates no account`, async ({
    ownOffice: office,
  }) => {
    const visitor = await office.visitor();
    const who = office.newPerson('Petra', 'Novak');
    await visitor.open('/auth/signup');
    await visitor.page.locator(`a[href="/auth/signup/${kind}"]`).click();
    await expect(visitor.heading(title)).toBeVisible();
    await visitor.button('Send application').click();
    await visitor.expectErrorToast(...missing);
    for (const label of empty) await visitor.expectFieldError(label, required);
    await expect(visitor.field('First name')).toBeFocused();

    await visitor.fillFields({
      'First name': who.first,
      'Last name': who.last,
      Email: who.email,
      ...asks,
      ...tells,
    });
    for (const [label, choice] of Object.entries(chooses)) await visitor.choose(label, choice);
    await visitor.button('Send application').click();
    await expect(visitor.heading('We received your application')).toBeVisible();
    // The error clears once the field is filled in.
    await expect(visitor.page.getByRole('alert')).toHaveCount(0);
    await expect(visitor.page.getByRole('status').filter({ hasText: who.email })).toBeVisible();
    await expect(
      visitor.page.getByRole('list', { name: 'What happens next' }).getByRole('listitem'),
    ).toHaveCount(3);

    const { reference, name } = await requestOf(office, who.email);
    await expect(visitor.page.getByText(reference, { exact: true })).toBeVisible();
    expect(name).toBe(who.name);
    const shown = await office.portal.spvctl('user', 'show', who.email);
    expect(shown.code).toBe(1);

    // A new form starts empty.
    await visitor.button('Send another application').click();
    await expect(visitor.field('First name')).toHaveValue('');
  });
}

test("the server's words stand beside the fields, and what was typed stays, even when the tab is loaded anew", async ({
  ownOffice: office,
}) => {
  const visitor = await office.visitor();
  const who = office.newPerson('Ivo', 'Long');
  await visitor.open('/auth/signup/iso');
  const typed = {
    'First name': who.first,
    'Last name': 'Bell\u0007',
    Email: who.email,
    Phone: '+1 555 0100',
    'Business Name': 'Long Ltd',
    Website: 'ftp://long.example',
  };
  await visitor.fillFields(typed);
  await visitor.choose('Clients per year', '1-10');
  await visitor.button('Send application').click();
  await visitor.expectErrorToast('Error');
  await visitor.expectFieldError('Last name', 'Contains invalid characters. Remove them.');
  await visitor.expectFieldError('Website', 'Enter a link that starts with https://.');
  await expect(visitor.field('Last name')).toBeFocused();
  await visitor.page.reload();
  for (const [label, text] of Object.entries(typed)) await expect(visitor.field(label)).toHaveValue(text);
  await expect(visitor.button('Clients per year')).toHaveText('1-10');

  await visitor.fillFields({ 'Last name': who.last, Website: 'long.example' });
  await visitor.button('Send application').click();
  await expect(visitor.heading('We received your application')).toBeVisible();
});

test('application retried after a lost response is stored once (idempotency)', async ({
  ownOffice: office,
}) => {
  const visitor = await office.visitor();
  visitor.allowError(/^Failed to load resource: net::ERR_/);
  const who = office.newPerson('Lost', 'Answer');
  await visitor.open('/auth/signup/client');
  await visitor.fillFields({ 'First name': who.first, 'Last name': who.last, Email: who.email });
  await visitor.choose('Where should the SPV be formed?', 'Japan');
  await visitor.page.route('**/rest/v1/requests', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await visitor.button('Send application').click();
  await visitor.expectErrorToast('Error', "Can't reach the server. Check your connection and try again.");
  await visitor.page.unrouteAll();
  await visitor.button('Send application').click();
  await expect(visitor.heading('We received your application')).toBeVisible();
  expect(await requestsOf(office, who.email)).toHaveLength(1);
});

test('application does not reveal whether an email has an account', async ({ ownOffice: office }) => {
  const visitor = await office.visitor();
  await visitor.open('/auth/signup/client');
  await visitor.fillFields({ 'First name': 'Amara', 'Last name': 'Okafor', Email: 'client@example.com' });
  await visitor.choose('Where should the SPV be formed?', 'UAE');
  await visitor.button('Send application').click();
  await expect(visitor.heading('We received your application')).toBeVisible();
});

test('application forms fit a phone in dark mode, with errors and after submission', async ({
  ownOffice: office,
}) => {
  const visitor = await office.visitor({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  for (const { kind, title } of kinds) {
    await visitor.open(`/auth/signup/${kind}`);
    await expect(visitor.heading(title)).toBeVisible();
    await visitor.button('Send application').click();
    await visitor.expectFieldError('First name', required);
    await expectNoOverflow(visitor);
  }
  const who = office.newPerson('Small', 'Screen');
  await visitor.open('/auth/signup/employee');
  await visitor.fillFields({
    'First name': who.first,
    'Last name': who.last,
    Email: who.email,
    'Job title': 'Clerk',
    'What do you need access for?': 'Work.',
  });
  await visitor.button('Send application').click();
  await expect(visitor.heading('We received your application')).toBeVisible();
  await expectNoOverflow(visitor);
});

async function expectNoOverflow(person: Person): Promise<void> {
  expect.soft(await overflowingElements(person.page), 'scrolls sideways').toEqual([]);
  expect.soft(await axeViolations(person.page), 'axe').toEqual([]);
}

function requestsOf(office: TestServer, email: string): Promise<Request[]> {
  return office.portal
    .operator<Request[]>('request', 'list')
    .then((all) => all.filter((request) => request.email === email));
}

async function requestOf(office: TestServer, email: string): Promise<Request> {
  const [request] = await requestsOf(office, email);
  if (!request) throw new Error(`There is no request of ${email}.`);
  return request;
}

test('rejected applicant receives the reason by email', async ({ ownOffice: office }) => {
  const who = office.newPerson('Petra', 'Novak');
  const visitor = await office.visitor();
  await visitor.api.post('/rest/v1/requests', {
    kind: 'account',
    account_type: 'client',
    email: who.email,
    application: { first_name: who.first, last_name: who.last, country: 'SG' },
  });
  const elias = await office.employee();
  await elias.open('/employee-dashboard/requests?kind=account');
  const { items } = await elias.api.get<{ items: Request[] }>('/rest/v1/requests?kind=account');
  const { reference } = items.find(({ email }) => email === who.email) ?? { reference: '' };
  await elias.chooseRowAction('Reject', reference);
  const dialog = elias.dialog(`Reject ${reference}`);
  await elias.fillFields({ Reason: 'We need a reference of your bank first.' }, dialog);
  await elias.button('Reject', dialog).click();
  await elias.expectToast('Request rejected', reference);
  const mail = await office.portal.post.waitForMail(who.email, `About your request ${reference}`);
  expect(mail.text).toContain('We need a reference of your bank first.');
  await visitor.open(mail.link('/contact'));
  await expect(visitor.heading(/Contact/).first()).toBeVisible();
});
