/** Sign-in and sessions: lifetime, multiple tabs, storage failures and steps before a portal opens. */
import type { Page, Route } from '@playwright/test';
import { paths } from '../src/paths';
import { tokenResponse } from './support/authJsClient';
import { TestServer } from './support/server';
import type { Person } from './support/users';
import { password } from './support/portal';
import { axeViolations, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const NEW_PASSWORD = 'a sentence of their own';

test('remembered session survives closing the browser, another one does not', async ({ office }) => {
  for (const remember of [true, false]) {
    const visitor = await office.visitor();
    await visitor.open(paths.login('client'));
    await visitor.page.getByRole('checkbox', { name: 'Remember me' }).setChecked(remember);
    await visitor.submitSignIn('client@example.com', password);
    await expect(visitor.heading('Welcome, Amara')).toBeVisible();

    // Storage state of a closed browser: local storage only, no tab.
    const kept = await visitor.page.context().storageState();
    const later = await office.visitor({ storageState: kept });
    await later.open(paths.clientDashboard);
    if (remember) await expect(later.heading('Welcome, Amara')).toBeVisible();
    else await later.expectPath('/');
  }
});

/** Blocks storage, as a browser that refuses all cookies does. */
function blockStorage(): void {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {
      get: () => {
        throw new DOMException(`Access to ${name} is denied for this document.`, 'SecurityError');
      },
    });
}

/** Fills storage to the last byte. */
function fillStorage(): void {
  Storage.prototype.setItem = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  };
}

for (const [what, happens] of [
  ['blocked', blockStorage],
  ['full', fillStorage],
] as const) {
  test(`pages and sessions work per tab with storage ${what}`, async ({ office }) => {
    const visitor = await office.visitor();
    await visitor.page.addInitScript(happens);
    for (const path of ['/', '/help', '/contact', paths.signupFor('client'), paths.clientOrders]) {
      await visitor.open(path);
      await expect(visitor.page.getByRole('heading').first()).toBeVisible();
    }
    await visitor.open(paths.login('client'));
    await expect(visitor.page.getByText("This browser doesn't store data for this site")).toBeVisible();
    await visitor.submitSignIn('client@example.com', password);
    await expect(visitor.heading('Welcome, Amara')).toBeVisible();
    await expect(visitor.page.getByText("This browser won't keep your session")).toBeVisible();
    await visitor.page.getByRole('button', { name: /^Account menu of/ }).click();
    await visitor.page.getByRole('menuitem', { name: 'Profile and security' }).click();
    await visitor.expectPath(paths.clientProfile);
    await visitor.page.getByRole('tab', { name: 'Security Settings' }).click();
    await expect(visitor.card('Sessions')).toContainText('This device');
    expect(visitor.unexpectedErrors).toEqual([]);
  });
}

test('page that cannot start shows an error', async ({ office }) => {
  const visitor = await office.visitor();
  visitor.allowError(/Failed to (load|fetch)|error loading|ERR_FAILED/i);
  await visitor.page.route(/\/assets\/app-.*\.js/, (route) => route.abort());
  await visitor.open(paths.login('client'));
  await expect(visitor.page.getByRole('alert')).toContainText('This page could not be started.');
  await visitor.page.unroute(/\/assets\/app-.*\.js/);
  await visitor.button('Try again').click();
  await expect(visitor.field('Email')).toBeVisible();
});

test('two tabs refreshing the session concurrently both stay signed in', async ({ office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  const tabs = [amara.page, await secondTab(amara)];
  for (let times = 0; times < 2; times += 1) {
    for (const tab of tabs) await leaveApp(tab);
    await expireAccessToken(amara.page);
    // Both responses are held until both tabs have sent the same token.
    const renewed = new Map<Page, string>();
    let release: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (release = resolve));
    const holds = async (route: Route) => {
      const { refresh_token } = route.request().postDataJSON() as { refresh_token: string };
      renewed.set(route.request().frame().page(), refresh_token);
      if (renewed.size === tabs.length) release();
      await together;
      await route.continue();
    };
    await amara.page.context().route(/grant_type=refresh_token/, holds);
    await Promise.all(tabs.map((tab) => tab.goto(paths.clientOrders)));
    for (const tab of tabs) await expect(tab.getByRole('table', { name: 'All orders' })).toBeVisible();
    expect([renewed.size, new Set(renewed.values()).size], 'tabs that renewed, tokens').toEqual([2, 1]);
    await amara.page.context().unroute(/grant_type=refresh_token/, holds);
  }
  for (const tab of tabs) {
    await tab.goto(paths.clientOrders);
    await expect(tab.getByRole('table', { name: 'All orders' })).toBeVisible();
  }
});

test('session that cannot be refreshed right now is kept, with a message', async ({ office }) => {
  const words = 'Too many attempts. Wait 7 s and try again.';
  for (const [status, code, shown] of [
    [429, 'over_request_rate_limit', words],
    [409, 'conflict', 'The portal is temporarily unavailable. Please try again in a moment.'],
  ] as const) {
    const amara = await office.client();
    await amara.open(paths.clientDashboard);
    await expect(amara.heading('Welcome, Amara')).toBeVisible();
    await amara.page.route(/grant_type=refresh_token/, (route) =>
      route.fulfill({
        status,
        headers: { 'x-supabase-api-version': '2024-01-01' },
        json: { code, message: words },
      }),
    );
    await amara.page.route(/\/rest\/v1\/documents/, (route) =>
      route.fulfill({ status: 401, json: { code: 'unauthenticated', message: 'Sign in.', request_id: '' } }),
    );
    await amara.link('Documents', amara.page.getByRole('navigation', { name: 'Main navigation' })).click();
    await expect(amara.page.getByText(shown).first()).toBeVisible();
    await amara.expectPath(paths.clientDocuments);
    await amara.page.unrouteAll();
    await amara.page.reload();
    await expect(amara.heading('Documents')).toBeVisible();
  }
});

test('reused refresh token ends the session of both holders', async ({ ownOffice: office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  const taken = await amara.page.context().storageState();
  for (let times = 0; times < 2; times += 1) {
    expect(await openWithExpiredToken(amara)).toEqual({ status: 200 });
    await expect(amara.heading('Welcome, Amara')).toBeVisible();
  }
  await office.portal.ageRefreshesByMinute();

  const thief = await office.visitor({ storageState: taken });
  expect(await openWithExpiredToken(thief)).toEqual({ status: 400, code: 'refresh_token_already_used' });
  await thief.expectPath('/');
  await expect(amara.page).toHaveURL((url) => url.pathname === '/');
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  await amara.open(paths.clientProfileTab('security'));
  await expect(amara.row(/Signed out.*An old session token was reused/, 'Sign-in history')).toBeVisible();
});

test('wrong password leaves the existing session unchanged', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.signIn('client', 'client@example.com', password);
  await expect(visitor.heading('Welcome, Amara')).toBeVisible();
  await visitor.open(paths.login('iso'));
  await visitor.page.getByRole('checkbox', { name: 'Remember me' }).uncheck();
  await visitor.submitSignIn('iso@example.com', 'not the password');
  await visitor.expectErrorToast('Login Failed', 'Incorrect email address or password.');
  await visitor.open(paths.clientDashboard);
  await expect(visitor.heading('Welcome, Amara')).toBeVisible();
});

test('tab-only session does not affect other tabs at sign-in or sign-out', async ({ office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();

  const other = await secondTab(amara);
  await other.goto(paths.login('iso'));
  await other.getByRole('checkbox', { name: 'Remember me' }).uncheck();
  await other.getByRole('textbox', { name: 'Email' }).fill('iso@example.com');
  await other.getByRole('textbox', { name: 'Password' }).fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other.getByRole('heading', { name: 'ISO dashboard' })).toBeVisible();
  await expect(amara.heading('Welcome, Amara')).toBeVisible();

  await other.getByRole('button', { name: /^Account menu of/ }).click();
  await other.getByRole('menuitem', { name: 'Logout', exact: true }).click();
  await expect(other).toHaveURL((url) => url.pathname === '/');
  await amara.link('View all orders').click();
  await amara.expectPath(paths.clientOrders);
  await amara.page.reload();
  await amara.expectPath(paths.clientOrders);
  await expect(amara.page.getByRole('table', { name: 'All orders' })).toBeVisible();
});

test('sign-out in one tab signs out the others and clears their screens', async ({ office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  const other = await secondTab(amara);
  await other.goto(paths.clientOrders);
  await expect(other.getByRole('table', { name: 'All orders' })).toBeVisible();
  await amara.logOut();
  await amara.expectToast('Logged Out', 'You have been successfully logged out.');
  await expect(other).toHaveURL((url) => url.pathname === '/');
  await expect(other.getByRole('alert').filter({ hasText: 'Your session has ended.' })).toBeVisible();
  await expect(other.getByRole('table')).toHaveCount(0);
});

test('account switched in another tab starts with an empty form', async ({ office }) => {
  const sigrid = await office.superAdmin();
  await sigrid.open(paths.employeeDashboard);
  const session = await sigrid.page.evaluate(() => localStorage.getItem('spv-auth-token'));
  const elias = await office.visitor();
  await elias.signIn('employee', 'employee@example.com', password);
  await elias.expectPath(paths.employeeDashboard);
  await elias.open(paths.employeeTab('clients'));
  await elias.button('Quick Setup (Email)').click();
  const firstName = elias.field('First name', elias.dialog('Quick Setup (Email)'));
  await firstName.fill('Half');
  const other = await secondTab(elias);
  await other.goto(paths.login('client'));
  await elias.withoutReload(async () => {
    await other.evaluate((stored) => localStorage.setItem('spv-auth-token', stored ?? ''), session);
    // The address opens the dialog again.
    await expect(firstName).toHaveValue('');
  });
});

test('returning to a tab changes nothing in it', async ({ office }) => {
  const elias = await office.employee();
  await elias.open(paths.employeeTab('clients'));
  await elias.button('Quick Setup (Email)').click();
  const dialog = elias.dialog('Quick Setup (Email)');
  await elias.fillFields({ 'First name': 'Half' }, dialog);
  const asked: string[] = [];
  elias.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await elias.withoutReload(async () => {
    for (let times = 0; times < 3; times += 1) await refocus(elias.page);
    await elias.fillFields({ 'Last name': 'Way' }, dialog);
  });
  await expect(elias.field('First name', dialog)).toHaveValue('Half');
  await elias.expectPath(`${paths.employeeTab('clients')}&new=quick`);
  expect(asked.filter((path) => path === '/rest/v1/me')).toEqual([]);
});

test('lost connection keeps the session, is shown, and is cleared on reconnect', async ({ office }) => {
  const amara = await office.client();
  amara.allowError(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  await amara.open(paths.clientDashboard);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  const context = amara.page.context();
  await context.setOffline(true);
  await expect(amara.page.getByText("You're offline.")).toBeVisible();
  expect.soft(await overflowingElements(amara.page)).toEqual([]);
  expect.soft(await axeViolations(amara.page)).toEqual([]);

  // An expired token does not end it either.
  await expireAccessToken(amara.page);
  await refocus(amara.page);
  await amara.button('Retry').click();
  await expect(amara.page.getByText("You're offline.")).toBeVisible();
  await amara.expectPath(paths.clientDashboard);

  await context.setOffline(false);
  await expect(amara.page.getByText("You're offline.")).toHaveCount(0);
  await amara.expectToast('Back online.');
  await amara.link('View all orders').click();
  await expect(amara.page.getByRole('table', { name: 'All orders' })).toBeVisible();
});

test('unreachable server is shown and polled until it responds', async ({ office }) => {
  const amara = await office.client();
  amara.allowError(/ERR_CONNECTION_REFUSED|Failed to fetch/);
  await amara.open(paths.clientDashboard);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  await amara.page.route(/\/(healthz|rest|auth\/v1|realtime)\b/, (route) => route.abort('connectionrefused'));
  await amara.link('View all orders').click();
  await expect(amara.page.getByText("You're offline.")).toBeVisible();
  await amara.page.unrouteAll();
  await expect(amara.page.getByText("You're offline.")).toHaveCount(0);
  await expect(amara.page.getByRole('table', { name: 'All orders' })).toBeVisible();
});

test('session without a profile is explained and ended', async ({ office }) => {
  const amara = await office.visitor();
  await amara.signIn('client', 'client@example.com', password);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
  await amara.page.route('**/rest/v1/me', (route) =>
    route.fulfill({
      status: 404,
      json: { code: 'not_found', message: 'This does not exist.', request_id: '1' },
    }),
  );
  await amara.open(paths.clientOrders);
  await amara.expectErrorToast('Access Denied', 'Unable to load your profile. Please contact support.');
  await amara.expectPath('/');
  await expect(amara.heading('Streamline Your SPV Management')).toBeVisible();
  const kept = () => amara.page.evaluate(() => localStorage.getItem('spv-auth-token'));
  await expect.poll(kept).toBeNull();
});

test('initial password must be changed first, then the requested page opens', async ({ office }) => {
  const who = office.newPerson('Given', 'Word');
  await createUserWithPassword(office, who.email, who.first, who.last);
  const visitor = await office.visitor();
  const wanted = paths.employeeTab('spvs');
  await visitor.open(wanted);
  await visitor.expectPath('/');
  await visitor.signIn('employee', who.email, password);
  await expect(visitor.heading('Choose your own password')).toBeVisible();
  expect.soft(await axeViolations(visitor.page)).toEqual([]);

  // The requirement cannot be skipped.
  await visitor.open(paths.employeeDashboard);
  await visitor.expectPath(`${paths.newPassword}?next=${encodeURIComponent(paths.employeeDashboard)}`);
  await visitor.open(`${paths.newPassword}?next=${encodeURIComponent(wanted)}`);
  await visitor.button('Save password').click();
  await visitor.expectFieldError('Temporary password', 'Enter your password.');
  await visitor.expectFieldError('New password', 'Use at least 8 characters.');
  await visitor.fillFields({
    'Temporary password': 'something else',
    'New password': NEW_PASSWORD,
    'Repeat the password': NEW_PASSWORD,
  });
  await visitor.button('Save password').click();
  await visitor.expectFieldError('Temporary password', 'Your current password is incorrect.');
  await visitor.fillFields({ 'Temporary password': password });
  // The welcome toast closes after five seconds, which a slow page load may take.
  await Promise.all([
    visitor.expectToast('Welcome back!', 'Successfully logged in to Employee Portal'),
    visitor.button('Save password').click(),
  ]);
  await visitor.expectPath(wanted);

  // The password is known to the owner only from now on.
  const later = await office.visitor();
  await later.signIn('employee', who.email, NEW_PASSWORD);
  await later.expectPath(paths.employeeDashboard);
});

test('abandoned provider sign-in keeps the session of the tab', async ({ office }) => {
  const amara = await office.client();
  await mockProviders(amara.page);
  let back: string | undefined = new URLSearchParams({ error_code: 'access_denied' }).toString();
  await amara.page.route('**/auth/v1/authorize?*', async (route) => {
    const to = new URL(new URL(route.request().url()).searchParams.get('redirect_to') ?? '');
    to.search = back ?? '';
    // No callback parameters: the user pressed Back.
    await route.fulfill({ status: 302, headers: { location: to.href } });
  });
  for (const answer of [back, undefined]) {
    back = answer;
    await amara.open(paths.login('iso'));
    await amara.page.getByRole('checkbox', { name: 'Remember me' }).uncheck();
    await amara.button('Google').click();
    await amara.expectPath(paths.login('iso'));
    if (answer) await expect(amara.page.getByText('The sign-in was cancelled.')).toBeVisible();
    await expect(amara.button('Sign in')).toBeEnabled();
    await amara.open(paths.clientDashboard);
    await expect(amara.heading('Welcome, Amara')).toBeVisible();
  }
});

const answers = [
  ['account_requested', 'There is no account for this address yet.', 'status'],
  ['access_denied', 'The sign-in was cancelled.', 'alert'],
  ['user_banned', 'This account is suspended or archived. Please contact support.', 'alert'],
  ['bad_oauth_state', 'This sign-in expired or was already used.', 'alert'],
  ['over_request_rate_limit', 'Too many sign-ins from here.', 'alert'],
  ['something_new', 'The sign-in failed.', 'alert'],
] as const;

test('Google and Microsoft sign-in redirect when configured, and every error has a message', async ({
  office,
}) => {
  const visitor = await office.visitor();
  await mockProviders(visitor.page);
  const left: URL[] = [];
  let code = '';
  await visitor.page.route('**/auth/v1/authorize?*', async (route) => {
    const url = new URL(route.request().url());
    left.push(url);
    const back = new URL(url.searchParams.get('redirect_to') ?? '');
    back.search = back.hash = new URLSearchParams({ error: 'access_denied', error_code: code }).toString();
    await route.fulfill({ status: 302, headers: { location: back.href } });
  });
  for (const [refusal, words, role] of answers) {
    code = refusal;
    await visitor.open(paths.login('client'));
    await visitor.button(left.length % 2 ? 'Microsoft' : 'Google').click();
    await expect(visitor.page.getByRole(role).filter({ hasText: words })).toBeVisible();
    await visitor.expectPath(paths.login('client'));
  }
  expect(left.map((url) => url.searchParams.get('provider')).slice(0, 2)).toEqual(['google', 'azure']);
  for (const url of left) {
    expect(url.searchParams.get('redirect_to')).toBe(`${office.portal.url}/auth/login/client`);
    expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
  }
  // Without a login form in the return URL, the error is on the portal selection.
  await visitor.open('/?error=invalid_request&error_code=bad_oauth_state');
  await expect(visitor.heading('Choose your portal')).toBeVisible();
  await expect(visitor.page.getByText('This sign-in expired or was already used.')).toBeVisible();
});

test('code of a flow that this browser did not start neither signs in nor out', async ({ office }) => {
  const code = '?code=00000000-0000-4000-8000-000000000000';
  for (const person of [await office.visitor(), await office.client()]) {
    await person.open(paths.login('iso') + code);
    await expect(person.page.getByRole('alert').filter({ hasText: 'The sign-in failed' })).toBeVisible();
    await person.expectPath(paths.login('iso'));
    await expect(person.button('Sign in')).toBeEnabled();
    await person.open(`/${code}`);
    await expect(person.heading('Choose your portal')).toBeVisible();
  }
  const amara = await office.client();
  await amara.open(paths.login('iso') + code);
  await amara.expectPath(paths.login('iso'));
  await amara.open(paths.clientDashboard);
  await expect(amara.heading('Welcome, Amara')).toBeVisible();
});

async function secondTab(person: Person): Promise<Page> {
  return person.page.context().newPage();
}

/** Mocks settings with Google and Microsoft configured. */
async function mockProviders(page: Page): Promise<void> {
  await page.route('**/rest/v1/settings', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      json: { ...(await answer.json()), sign_in_providers: ['google', 'azure'] },
    });
  });
}

/** Leaves the app, so that no page refreshes the session while it is changed. */
async function leaveApp(page: Page): Promise<void> {
  await page.route('**/nothing', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto('/nothing');
}

/** Marks the stored access token as expired. */
async function expireAccessToken(page: Page): Promise<void> {
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('spv-auth-token') ?? '{}') as object;
    localStorage.setItem('spv-auth-token', JSON.stringify({ ...session, expires_at: 1 }));
  });
}

/** Opens the portal with an expired access token; returns the status of the refresh. */
async function openWithExpiredToken(person: Person): Promise<{ status: number; code?: string }> {
  const { page } = person;
  await leaveApp(page);
  await expireAccessToken(page);
  return tokenResponse(page, 'refresh_token', () => person.open(paths.clientDashboard));
}

/** Dispatches the events of a page that becomes visible again. */
async function refocus(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
}

/** Creates a user with an initial password set by the operator. */
async function createUserWithPassword(
  office: TestServer,
  email: string,
  first: string,
  last: string,
): Promise<void> {
  const said = await office.portal.spvctlWithInput(
    password,
    ...['user', 'create', '--role', 'employee', '--email', email, '--first-name', first],
    ...['--last-name', last, '--password-stdin'],
  );
  expect(said.code, said.words).toBe(0);
}
