/** Portal below a path of a host, behind a proxy that passes the prefix on or strips it. */
import { paths } from '../src/paths';
import { pdf } from './support/pdf';
import { password } from './support/portal';
import { freePort } from './support/process';
import { Proxy } from './support/proxy';
import { expect, test, withServer } from './support/fixtures';

const base = '/portal';

test('a portal below a path works behind a proxy that passes the prefix on or strips it', async ({
  browser,
}) => {
  // A portal of its own, and everything twice.
  test.setTimeout(120_000);
  const port = await freePort();
  const proxy = await Proxy.start(`http://127.0.0.1:${port}`, base);
  const env = { SPV_LISTEN: `127.0.0.1:${port}`, SPV_PUBLIC_URL: proxy.url + base };
  await withServer(browser, { demo: true, env }, async (office) => {
    const who = office.newPerson('Signe', 'Holm');
    const { spv } = await office.clientWithOrder(who);
    const order = base + paths.clientOrder(spv.id);

    // Mail link.
    const signe = await office.visitor();
    const mail = await office.portal.post.waitForMail(who.email, 'Set your password');
    await signe.open(mail.link(base + paths.resetPassword));
    await signe.button('Continue').click();
    await signe.fillFields({ Password: password, 'Repeat the password': password });
    await signe.button('Save password').click();
    await signe.expectPath(base + paths.clientDashboard);

    // Landing page, access dialog and sign-in, without loading the page anew.
    await signe.logOut();
    await signe.expectPath(base);
    await signe.open(base + paths.landing);
    await expect(signe.page.locator('html')).toHaveAttribute('data-shell', 'landing');
    await signe.open(order);
    await signe.expectPath(base);
    await signe.open(base + paths.login('client'));
    await signe.submitSignIn(who.email, password);
    await signe.expectPath(order);

    for (const strips of [false, true]) {
      proxy.strips = strips;
      await signe.page.reload();
      await expect(signe.heading(spv.identifier)).toBeVisible();
      await expect(signe.page.locator('html')).toHaveAttribute('data-shell', 'portal');

      const name = strips ? 'annex.pdf' : 'deed.pdf';
      const group = signe.page.getByRole('group', {
        name: `Upload documents for ${spv.identifier}`,
        exact: true,
      });
      await group
        .locator('input[type="file"]')
        .first()
        .setInputFiles({ name, mimeType: 'application/pdf', buffer: pdf(name) });
      await expect(signe.row(name, `Documents of ${spv.identifier}`)).toBeVisible({ timeout: 30_000 });

      const staff = await office.api('employee@example.com');
      const words = `We have received ${name}.`;
      await signe.withoutReload(async () => {
        await staff.post('/rest/v1/messages', { spv_id: spv.id, body: words });
        const message = signe.page.getByRole('log', { name: 'Messages' }).getByText(words);
        await expect(message).toBeVisible({ timeout: 15_000 });
      });

      const saved = signe.page.waitForEvent('download');
      await signe.button(`Download ${name}, version 1`).click();
      expect((await saved).suggestedFilename()).toBe(name);
      await signe.button(`Preview ${name}, version 1`).click();
      const preview = signe.dialog(name);
      await expect(preview.getByRole('img', { name: `${name}, page 1 of 1` })).toBeVisible();
    }

    // Links with their own address: rows of lists, and those that load the page anew.
    const sam = await office.superAdmin();
    await sam.open(base + paths.adminUsersOf({ q: who.email }));
    await expect(sam.link(who.name)).toHaveAttribute('href', /^\/portal\/admin-dashboard\/users\//);
    await sam.chooseRowAction('View as user', who.name);
    const dialog = sam.dialog(`View as ${who.name}`);
    await sam.fillFields({ Reason: 'Cannot find the invoice' }, dialog);
    await sam.button('View as user', dialog).click();
    await sam.expectPath(base + paths.clientDashboard);
    await sam.button('Exit').click();
    await sam.expectPath(/\/portal\/admin-dashboard\/users\/[0-9a-f-]{36}$/);
    await sam.open(base + paths.apiDocs);
    await expect(sam.heading('spvs')).toBeVisible();

    const doctor = await office.portal.spvctl('doctor');
    expect(doctor.code, doctor.words).toBe(0);
    expect(proxy.outside).toEqual([]);
  });
  await proxy.stop();
});
