/** Email delivery failures: staff see the address and the reason. */
import { paths } from '../src/paths';
import { axeViolations, waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const tag = 'Email failed';
const response = '5.1.1 No such user here';

test('address with a failed delivery is marked in the client list and on the user page', async ({
  office,
}) => {
  const { first, last, name, email } = office.newPerson('Ulla', 'Berg');
  const address = `undeliverable.${email}`;
  const { client } = await office.clientWithOrder({ first, last, name, email: address });
  const sigrid = await office.superAdmin();
  const failure = () =>
    sigrid.api.get<{ email_failure: { reason: string } | null }>(`/rest/v1/users/${client.user_id}`);
  await expect.poll(async () => (await failure()).email_failure?.reason).toContain(response);

  const elias = await office.employee();
  await elias.open(`${paths.employeeTab('clients')}&q=${encodeURIComponent(address)}`);
  const row = elias.row(address, 'Clients');
  await expect(row).toContainText(tag);
  await expect(row).toContainText(/Not delivered on .*Check the address\./);
  // The SMTP response contains host names, so only super admins read it.
  await expect(row).not.toContainText(response);
  await sigrid.open(paths.adminUser(client.user_id));
  const facts = sigrid.page.getByRole('definition').filter({ hasText: address });
  await expect(facts).toContainText(tag);
  await expect(facts).toContainText(/The mail server said: .*5\.1\.1 No such user here/);

  for (const { page } of [elias, sigrid]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await waitForIdle(page);
        await expect(page.getByText(tag)).toBeVisible();
        expect.soft(await overflowingElements(page), `${page.url()} at ${width} px`).toEqual([]);
        expect.soft(await axeViolations(page), `${page.url()}, ${colorScheme}`).toEqual([]);
      }
    }
  }
});

test('super admin finds a failed email in the outbox and sends it again', async ({ office }) => {
  const { first, last, name, email } = office.newPerson('Ove', 'Dahl');
  const address = `undeliverable.${email}`;
  await office.clientWithOrder({ first, last, name, email: address });
  const sigrid = await office.superAdmin();
  await sigrid.open(paths.adminOutbox);
  const row = sigrid.row(address, 'Latest emails');
  await expect(row.filter({ hasText: 'Failed' }).first()).toContainText(response);
  await sigrid.field('Status').click();
  await sigrid.page.getByRole('option', { name: 'Failed', exact: true }).click();
  await sigrid.expectPath(paths.adminOutboxOf('failed'));
  await row.first().getByRole('button', { name: 'Send again' }).click();
  await sigrid.expectToast('Email queued', address);
});
