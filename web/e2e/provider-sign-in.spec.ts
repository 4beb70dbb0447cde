/** Provider sign-in with Google or Microsoft: redirect, callback and errors. */
import type { Browser } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import { Authenticator } from './support/authenticator';
import type { TestServer } from './support/server';
import { password } from './support/portal';
import { Provider } from './support/oidcProvider';
import { expect, test, withServer } from './support/fixtures';

/** Runs a test in a server with both providers configured. */
async function testInServer(
  browser: Browser,
  body: (office: TestServer, provider: Provider) => Promise<void>,
) {
  const provider = await Provider.start();
  try {
    await withServer(browser, { demo: true, env: provider.settings }, (office) => body(office, provider));
  } finally {
    await provider.stop();
  }
}

test('invited client signs in with Google instead of setting a password', async ({ browser }) => {
  await testInServer(browser, async (office, provider) => {
    const who = office.newPerson('Pia', 'Lindgren');
    await office.clientWithOrder(who);
    const pia = await office.visitor();
    await pia.open(paths.login('client'));
    await pia.button('Google').click();
    await provider.signInAs(pia.page, who.email);
    await pia.expectPath(paths.clientDashboard);
    await expect(pia.heading('Welcome, Pia')).toBeVisible();

    // Again in another browser, with the identity linked by now.
    const phone = await office.visitor();
    await phone.open(paths.login('client'));
    await phone.button('Google').click();
    await provider.signInAs(phone.page, who.email);
    await phone.expectPath(paths.clientDashboard);
    await phone.logOut();
    await phone.expectPath('/');
  });
});

test('provider sign-in without an account says that staff were asked for one', async ({ browser }) => {
  await testInServer(browser, async (office, provider) => {
    const noa = await office.visitor();
    for (const name of ['Microsoft', 'Google']) {
      await noa.open(paths.login('client'));
      await noa.button(name).click();
      await provider.signInAs(noa.page, 'noa@stranger.example');
      await expect(noa.page.getByText('There is no account for this address yet.')).toBeVisible();
    }
    const { items } = await (
      await office.api()
    ).get<{ items: { email: string; kind: string }[] }>('/rest/v1/requests');
    expect(items.filter(({ email }) => email === 'noa@stranger.example')).toHaveLength(1);

    // Another browser, because the provider keeps its session.
    const phone = await office.visitor();
    await phone.open(paths.login('client'));
    await phone.button('Google').click();
    await provider.refuses(phone.page);
    await expect(phone.page.getByText('The sign-in was cancelled.')).toBeVisible();
  });
});

test('client links and unlinks Google', async ({ browser }) => {
  await testInServer(browser, async (office, provider) => {
    const amara = await office.client();
    await amara.open(paths.clientProfileTab('security'));
    await amara.button('Link Google').click();
    await provider.signInAs(amara.page, 'amara@home.example');
    await amara.expectToast('Google is linked');
    await expect(amara.card('Linked accounts')).toContainText('amara@home.example');
    await amara.button('Unlink Google').click();
    await amara.button('Unlink', amara.dialog('Unlink Google?')).click();
    await amara.expectToast('Google was unlinked');
    await expect(amara.button('Link Google')).toBeVisible();
  });
});

test('MFA is required after Google sign-in too', async ({ browser }) => {
  await testInServer(browser, async (office, provider) => {
    const who = office.newPerson('Tuva', 'Dahl');
    await office.clientWithOrder(who);
    await office.setPassword(who.email);
    const session = await Api.signIn(office.portal.url, who.email, password);
    const { app } = await Authenticator.enrol(new Api(office.portal.url, session));
    const tuva = await office.visitor();
    await tuva.open(paths.clientOrders);
    await tuva.expectPath('/');
    await tuva.open(paths.login('client'));
    await tuva.button('Google').click();
    await provider.signInAs(tuva.page, who.email);
    await expect(tuva.heading('Two-factor authentication')).toBeVisible();
    // The provider sign-in alone is aal1.
    await tuva.open(paths.clientDashboard);
    await expect(tuva.heading('Two-factor authentication')).toBeVisible();
    await tuva.fillFields({ 'Code from the app': await app.code() });
    await tuva.button('Continue').click();
    await tuva.expectPath(paths.clientDashboard);
    await expect(tuva.heading('Welcome, Tuva')).toBeVisible();
  });
});
