/** Accounts that people make themselves over the protocol, where the operator has switched that on. */
import type { Browser } from '@playwright/test';
import { paths } from '../src/paths';
import { Api } from './support/api';
import type { Office } from './support/server';
import { password } from './support/portal';
import { barriers } from './support/pageChecks';
import { expect, test, withOffice } from './support/fixtures';

function inOffice(browser: Browser, story: (office: Office) => Promise<void>): Promise<void> {
  return withOffice(browser, { demo: true, env: { SPV_AUTH_SIGNUP: 'true' } }, story);
}

test('the link of a new account waits for a click, which opens it, once', async ({ browser }) => {
  await inOffice(browser, async (office) => {
    const { email, first, last } = office.newcomer('Nora', 'Berg');
    await new Api(office.portal.url).post('/auth/v1/signup', {
      email,
      password,
      data: { first_name: first, last_name: last },
    });
    const mail = await office.portal.post.arrives(email, 'Confirm');
    const link = mail.link(paths.confirm);
    // Programs that look at mails open nothing.
    for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200);
    const early = await office.visitor();
    await early.signsIn('client', email, password);
    await early.isRefused('Login Failed');

    const nora = await office.visitor();
    await nora.opens(link);
    await expect(nora.heading('Confirm your e-mail address')).toBeVisible();
    expect.soft(await barriers(nora.page)).toEqual([]);
    await nora.button('Confirm').click();
    await nora.isAt(paths.clientDashboard);
    await expect(nora.heading('Welcome, Nora')).toBeVisible();

    const later = await office.visitor();
    await later.opens(link);
    await later.button('Confirm').click();
    await expect(later.heading('This link is no longer valid')).toBeVisible();
    await later.signsIn('client', email, password);
    await later.isAt(paths.clientDashboard);
  });
});

test('the six digits beside it do as well, on any device', async ({ browser }) => {
  await inOffice(browser, async (office) => {
    const { email } = office.newcomer('Olu', 'Ade');
    await new Api(office.portal.url).post('/auth/v1/signup', { email, password });
    const mail = await office.portal.post.arrives(email, 'Confirm');
    const olu = await office.visitor({ viewport: { width: 390, height: 844 } });
    await olu.opens(`${paths.confirm}?type=signup`);
    await olu.writes({ Email: email, 'Code from the mail': mail.code() });
    await olu.button('Continue').click();
    await olu.isAt(paths.clientDashboard);
  });
});
