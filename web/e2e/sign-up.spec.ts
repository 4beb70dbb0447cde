/** Sign-up: self-service accounts, where the operator enabled them. */
import type { Browser } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import type { TestServer } from './support/server';
import { password } from './support/portal';
import { axeViolations } from './support/pageChecks';
import { expect, test, withServer } from './support/fixtures';

function testInServer(browser: Browser, body: (office: TestServer) => Promise<void>): Promise<void> {
  return withServer(browser, { demo: true, env: { SPV_AUTH_SIGNUP: 'true' } }, body);
}

test('sign-up link needs a click and works once', async ({ browser }) => {
  await testInServer(browser, async (office) => {
    const { email, first, last } = office.newPerson('Nora', 'Berg');
    await new Api(office.portal.url).post('/auth/v1/signup', {
      email,
      password,
      data: { first_name: first, last_name: last },
    });
    const mail = await office.portal.post.waitForMail(email, 'Confirm');
    const link = mail.link(paths.confirm);
    // Mail scanners do not consume the link.
    for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200);
    const early = await office.visitor();
    await early.signIn('client', email, password);
    await early.expectErrorToast('Login Failed');

    const nora = await office.visitor();
    await nora.open(link);
    await expect(nora.heading('Confirm your email address')).toBeVisible();
    expect.soft(await axeViolations(nora.page)).toEqual([]);
    await nora.button('Confirm').click();
    await nora.expectPath(paths.clientDashboard);
    await expect(nora.heading('Welcome, Nora')).toBeVisible();

    const later = await office.visitor();
    await later.open(link);
    await later.button('Confirm').click();
    await expect(later.heading('This link is no longer valid')).toBeVisible();
    await later.signIn('client', email, password);
    await later.expectPath(paths.clientDashboard);
  });
});

test('sign-up code works on any device', async ({ browser }) => {
  await testInServer(browser, async (office) => {
    const { email } = office.newPerson('Olu', 'Ade');
    await new Api(office.portal.url).post('/auth/v1/signup', { email, password });
    const mail = await office.portal.post.waitForMail(email, 'Confirm');
    const olu = await office.visitor({ viewport: { width: 390, height: 844 } });
    await olu.open(`${paths.confirm}?type=signup`);
    await olu.fillFields({ Email: email, 'Code from the email': mail.code() });
    await olu.button('Continue').click();
    await olu.expectPath(paths.clientDashboard);
  });
});
