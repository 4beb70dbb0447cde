/** Passkeys with Chromium's virtual authenticator: added, sign-in without a password, second factor, removed. */
import type { CDPSession, Page } from '@playwright/test';
import { paths } from '../src/paths';
import { onLocalhost } from './support/localhost';
import { axeViolations, waitForIdle } from './support/pageChecks';
import { password } from './support/portal';
import { expect, test, withServer } from './support/fixtures';

const BUTTON = 'Sign in with a passkey';

/** Authenticator of one page, with a PIN that its user knows. */
class VirtualAuthenticator {
  private constructor(
    private readonly devtools: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async of(page: Page): Promise<VirtualAuthenticator> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(devtools, authenticatorId);
  }

  /** Whether its user touches it when asked. A suggestion is chosen at once then, too. */
  async touches(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  async verifiesUser(isUserVerified: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  async count(): Promise<number> {
    const { authenticatorId } = this;
    const { credentials } = await this.devtools.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.length;
  }
}

test('passkey is added, signs in without a password and is removed', async ({ browser }) => {
  test.slow();
  await withServer(browser, { demo: true, env: await onLocalhost() }, async (office) => {
    const who = office.newPerson('Petra', 'Lund');
    await office.clientWithOrder(who);
    await office.setPassword(who.email);
    const petra = await office.visitor();
    const key = await VirtualAuthenticator.of(petra.page);
    await petra.signIn('client', who.email, password);
    await petra.expectPath(paths.clientDashboard);

    await petra.open(paths.clientProfileTab('security'));
    const section = petra.card('Passkeys');
    await expect(section).toContainText('No passkey yet');
    await petra.button('Add a passkey', section).click();
    await petra.expectToast('Passkey added', 'You can sign in with it instead of your password.');
    const row = section.getByRole('listitem');
    await expect(row).toContainText('On one device');
    expect(await key.count()).toBe(1);
    expect(await axeViolations(petra.page)).toEqual([]);
    await office.portal.post.waitForMail(who.email, 'New passkey');
    // The device knows that it has one.
    await petra.button('Add a passkey', section).click();
    await petra.expectErrorToast('Error', 'This passkey is already registered.');

    await petra.button('Rename Passkey', section).click();
    const dialog = petra.dialog('Rename passkey');
    await petra.fillFields({ Name: 'Work laptop' }, dialog);
    await petra.button('Rename', dialog).click();
    await expect(row).toContainText('Work laptop');

    await key.touches(false);
    await petra.logOut();
    await petra.open(paths.login('client'));
    await expect(petra.field('Email')).toHaveAttribute('autocomplete', 'username webauthn');
    expect(await axeViolations(petra.page)).toEqual([]);
    await key.touches(true);
    await petra.button(BUTTON).click();
    await petra.expectPath(paths.clientDashboard);
    await petra.open(paths.clientProfileTab('security'));
    await waitForIdle(petra.page);
    await expect(row).toContainText('last used');
    await expect(petra.row(/Signed in.*Passkey/, 'Sign-in history').first()).toBeVisible();

    await petra.button('Remove Work laptop', section).click();
    await petra.button('Remove', petra.dialog('Remove Work laptop?')).click();
    await petra.expectToast('Work laptop was removed');
    await expect(section).toContainText('No passkey yet');
    await office.portal.post.waitForMail(who.email, 'Passkey removed');
    await petra.logOut();
    await petra.open(paths.login('client'));
    await petra.button(BUTTON).click();
    await petra.expectErrorToast('Login Failed', /This passkey could not be verified/);
  });
});

test('login forms suggest passkeys in the email field', async ({ browser }) => {
  test.slow();
  await withServer(browser, { demo: true, env: await onLocalhost() }, async (office) => {
    for (const [portal, email, home, security] of [
      ['employee', 'employee@example.com', paths.employeeDashboard, paths.employeeSecurity],
      ['company', 'company@example.com', paths.companyDashboard, paths.companySecurity],
      ['iso', 'iso@example.com', paths.isoDashboard, paths.isoSecurity],
    ] as const) {
      const person = await office.visitor();
      await VirtualAuthenticator.of(person.page);
      await person.signIn(portal, email, password);
      await person.expectPath(home);
      await person.open(security);
      await person.button('Add a passkey').click();
      await person.expectToast('Passkey added', /instead of your password/);
      await person.logOut();
      // The authenticator chooses the suggestion by itself.
      await person.open(paths.login(portal));
      await person.expectPath(home);
    }
  });
});

test('passkey is a second factor instead of an app', async ({ browser }) => {
  test.slow();
  await withServer(browser, { demo: true, env: await onLocalhost() }, async (office) => {
    const who = office.newPerson('Sol', 'Vega');
    await office.clientWithOrder(who);
    await office.setPassword(who.email);
    const sol = await office.visitor();
    const key = await VirtualAuthenticator.of(sol.page);
    await sol.signIn('client', who.email, password);
    await sol.expectPath(paths.clientDashboard);
    await sol.open(paths.clientProfileTab('security'));
    const section = sol.card('Two-factor authentication');
    await sol.button('Enable 2FA', section).click();
    await sol.button('Use a passkey instead').click();
    const codes = sol.dialog('Recovery codes');
    await codes.getByRole('checkbox').check();
    await sol.button('Done', codes).click();
    await expect(section).toContainText('Your passkeys');
    await expect(sol.card('Passkeys').getByRole('listitem')).toContainText('Second factor');

    await key.touches(false);
    await sol.logOut();
    await sol.signIn('client', who.email, password);
    await expect(sol.heading('Two-factor authentication')).toBeVisible();
    expect(await axeViolations(sol.page)).toEqual([]);
    await key.verifiesUser(false);
    await key.touches(true);
    const challenged = sol.page.waitForResponse(/\/challenge$/);
    await sol.button('Use a passkey').click();
    await challenged;
    // The attempt has ended, not only begun.
    await expect(sol.button('Use a passkey')).toBeEnabled();
    await expect(sol.heading('Two-factor authentication')).toBeVisible();
    await key.verifiesUser(true);
    await sol.button('Use a passkey').click();
    await sol.expectPath(paths.clientDashboard);
  });
});

test('no passkeys are offered at an address without a domain', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open(paths.login('client'));
  await expect(visitor.button('Sign in')).toBeVisible();
  await waitForIdle(visitor.page);
  await expect(visitor.button(BUTTON)).toHaveCount(0);
  await expect(visitor.field('Email')).toHaveAttribute('autocomplete', 'username');
});
