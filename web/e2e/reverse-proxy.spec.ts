/** Reverse proxy without configuration for the portal: small body limits and error pages of its own. */
import { pdf } from './support/pdf';
import { password } from './support/portal';
import { Proxy } from './support/proxy';
import { expect, test } from './support/fixtures';

const kilobyte = 1024;

test('uploads adapt to the body limit of a proxy, and proxy errors are named as such', async ({ office }) => {
  const proxy = await Proxy.start(office.portal.url);
  const who = office.newPerson('Priya', 'Raman');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const priya = await office.visitor({ baseURL: proxy.url });
  priya.allowError(/Failed to load resource|50[24] from/);

  proxy.answerApiCalls(403, '403 Forbidden', /^\/auth\/v1\/token/);
  await priya.signIn('client', who.email, password);
  await priya.expectErrorToast(
    'Login Failed',
    'The server in front of the portal refused this (status 403). Try again. If it keeps happening, contact your administrator.',
  );
  proxy.passThrough();
  await priya.button('Sign in').click();
  await priya.expectPath('/client-dashboard');

  // nginx default limit (1 MB).
  proxy.rejectBodiesAbove(kilobyte * kilobyte);
  await priya.open(`/client-dashboard/orders/${spv.id}`);
  const group = priya.page.getByRole('group', {
    name: `Upload documents for ${spv.identifier}`,
    exact: true,
  });
  const table = `Documents of ${spv.identifier}`;
  const send = (name: string, bytes: number) =>
    group
      .locator('input[type="file"]')
      .first()
      .setInputFiles({
        name,
        mimeType: 'application/pdf',
        buffer: Buffer.concat([pdf(name), Buffer.alloc(bytes, 65)]),
      });
  await send('scan.pdf', 3 * kilobyte * kilobyte);
  await expect(priya.row('scan.pdf', table)).toBeVisible({ timeout: 30_000 });
  expect(Math.max(...proxy.uploadChunkSizes)).toBe(512 * kilobyte);

  // A lower limit: chunks are halved until they fit, also for later uploads.
  proxy.uploadChunkSizes.length = 0;
  proxy.rejectBodiesAbove(150 * kilobyte);
  await send('lease.pdf', 1024 * kilobyte);
  await expect(priya.row('lease.pdf', table)).toBeVisible({ timeout: 30_000 });
  await send('annex.pdf', 300 * kilobyte);
  await expect(priya.row('annex.pdf', table)).toBeVisible({ timeout: 30_000 });
  expect(Math.max(...proxy.uploadChunkSizes)).toBe(128 * kilobyte);

  // Below the smallest chunk the row names the proxy, and the upload resumes once the limit is raised.
  proxy.rejectBodiesAbove(10 * kilobyte, '');
  await send('plan.pdf', 200 * kilobyte);
  const row = group
    .getByRole('list', { name: 'Uploads' })
    .getByRole('listitem')
    .filter({ hasText: 'plan.pdf' });
  await expect(row.getByRole('status')).toHaveText(
    'The server in front of the portal refused this as too large (status 413). Contact your administrator.',
  );
  proxy.passThrough();
  await priya.button('Retry upload of plan.pdf').click();
  await expect(priya.row('plan.pdf', table)).toBeVisible({ timeout: 30_000 });

  // Save, read, and a login page of the proxy in place of every response.
  await priya.open('/client-profile');
  await priya.fillFields({ City: 'Pune' });
  proxy.answerApiCalls(413, '413 Request Entity Too Large', /^\/rest\/v1\/me\/profile/);
  await priya.button('Save Changes').click();
  await priya.expectErrorToast(
    'Error',
    'The server in front of the portal refused this as too large (status 413). Contact your administrator.',
  );
  proxy.answerApiCalls(200, 'Company sign-in', /^\/rest\/v1\/me\/profile/);
  await priya.button('Save Changes').click();
  await priya.expectErrorToast(
    'Error',
    'A server in front of the portal returned its own page, perhaps a sign-in page. ' +
      "Reload this page. If that doesn't help, contact your administrator.",
  );
  proxy.passThrough();
  await priya.button('Save Changes').click();
  await priya.expectToast('Profile Updated');
  proxy.answerApiCalls(504, '504 Gateway Time-out', /^\/rest\/v1\/invoices/);
  await priya.open('/client-dashboard/billing');
  await expect(
    priya.page.getByText("The server in front of the portal can't reach it (status 504).").first(),
  ).toBeVisible({ timeout: 30_000 });
  // No proxy response ends the session.
  proxy.passThrough();
  await priya.page.getByRole('button', { name: 'Try again' }).first().click();
  await expect(priya.page.getByText('The server in front of the portal')).toHaveCount(0);
  await priya.page.close();
  await proxy.stop();
});
