/** Signing in with Google or Microsoft: there, back, and what is said when it leads nowhere. */
import type { Browser } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import { Authenticator } from './support/authenticator';
import type { Office } from './support/server';
import { password } from './support/portal';
import { Provider } from './support/oidcProvider';
import { expect, test, withOffice } from './support/fixtures';

/** An office whose operator has configured both providers. */
async function inOffice(browser: Browser, story: (office: Office, provider: Provider) => Promise<void>) {
  const provider = await Provider.start();
  try {
    await withOffice(browser, { demo: true, env: provider.settings }, (office) => story(office, provider));
  } finally {
    await provider.stop();
  }
}

test('an invited client signs in with Google instead of choosing a password', async ({ browser }) => {
  await inOffice(browser, async (office, provider) => {
    const who = office.newcomer('Pia', 'Lindgren');
    await office.clientWithOrder(who);
    const pia = await office.visitor();
    await pia.opens(paths.login('client'));
    await pia.button('Google').click();
    await provider.knows(pia.page, who.email);
    await pia.isAt(paths.clientDashboard);
    await expect(pia.heading('Welcome, Pia')).toBeVisible();

    // And again in another browser, where the identity is known by now.
    const phone = await office.visitor();
    await phone.opens(paths.login('client'));
    await phone.button('Google').click();
    await provider.knows(phone.page, who.email);
    await phone.isAt(paths.clientDashboard);
    await phone.logsOut();
    await phone.isAt('/');
  });
});

test('who has no account is told that the staff were asked for one', async ({ browser }) => {
  await inOffice(browser, async (office, provider) => {
    const noa = await office.visitor();
    for (const name of ['Microsoft', 'Google']) {
      await noa.opens(paths.login('client'));
      await noa.button(name).click();
      await provider.knows(noa.page, 'noa@stranger.example');
      await expect(noa.page.getByText('There is no account for this address yet.')).toBeVisible();
    }
    const { items } = await (
      await office.api()
    ).get<{ items: { email: string; kind: string }[] }>('/rest/v1/requests');
    expect(items.filter(({ email }) => email === 'noa@stranger.example')).toHaveLength(1);

    // The provider remembers who signed in in a browser, so this takes another one.
    const phone = await office.visitor();
    await phone.opens(paths.login('client'));
    await phone.button('Google').click();
    await provider.refuses(phone.page);
    await expect(phone.page.getByText('The sign-in was cancelled.')).toBeVisible();
  });
});

test('a client links Google to the account, and unlinks it', async ({ browser }) => {
  await inOffice(browser, async (office, provider) => {
    const amara = await office.client();
    await amara.opens(paths.clientProfileTab('security'));
    await amara.button('Link Google').click();
    await provider.knows(amara.page, 'amara@home.example');
    await amara.isTold('Google is linked');
    await expect(amara.card('Linked accounts')).toContainText('amara@home.example');
    await amara.button('Unlink Google').click();
    await amara.button('Unlink', amara.dialog('Unlink Google?')).click();
    await amara.isTold('Google was unlinked');
    await expect(amara.button('Link Google')).toBeVisible();
  });
});

test('whoever has an app shows its code after Google, too', async ({ browser }) => {
  await inOffice(browser, async (office, provider) => {
    const who = office.newcomer('Tuva', 'Dahl');
    await office.clientWithOrder(who);
    await office.setsPassword(who.email);
    const session = await Api.signIn(office.portal.url, who.email, password);
    const { app } = await Authenticator.addedBy(new Api(office.portal.url, session));
    const tuva = await office.visitor();
    await tuva.opens(paths.clientOrders);
    await tuva.isAt('/');
    await tuva.opens(paths.login('client'));
    await tuva.button('Google').click();
    await provider.knows(tuva.page, who.email);
    await expect(tuva.heading('One more step')).toBeVisible();
    // The provider's word opens nothing by itself.
    await tuva.opens(paths.clientDashboard);
    await expect(tuva.heading('One more step')).toBeVisible();
    await tuva.writes({ 'Code from the app': await app.code() });
    await tuva.button('Continue').click();
    await tuva.isAt(paths.clientDashboard);
    await expect(tuva.heading('Welcome, Tuva')).toBeVisible();
  });
});
