/** Security emails: a sign-in on a new device is mailed, and "This wasn't me" secures the account. */
import { paths } from '../src/paths';
import { axeViolations, overflowingElements, waitForIdle } from './support/pageChecks';
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

test('"This wasn\'t me" ends all sessions and stops the password @postgres', async ({ office }) => {
  const who = office.newPerson('Nora', 'Sound');
  await office.clientWithOrder(who);
  // Signs in from Node for the first time; a browser is a new device.
  await office.setPassword(who.email);
  const intruder = await office.visitor();
  await intruder.signIn('client', who.email, password);
  await expect(intruder.heading('Welcome, Nora')).toBeVisible();

  const news = await office.portal.post.waitForMail(who.email, 'New sign-in to your account');
  const link = news.link(paths.secureAccount);
  const owner = await office.visitor();
  const { page } = owner;
  const looksRight = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await waitForIdle(page);
        expect.soft(await overflowingElements(page), `at ${width} px`).toEqual([]);
        expect.soft(await axeViolations(page), colorScheme).toEqual([]);
      }
    }
  };
  await owner.open(link);
  await expect(owner.heading('Secure your account')).toBeVisible();
  await looksRight();
  // Opening the link changes nothing.
  await intruder.page.reload();
  await expect(intruder.heading('Welcome, Nora')).toBeVisible();

  await owner.button("This wasn't me, secure the account").click();
  await expect(owner.heading('Your account is secured')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: who.email })).toBeVisible();
  await expect(page).toHaveURL((url) => url.pathname === paths.secureAccount && !url.search);
  await looksRight();

  await intruder.page.reload();
  await expect(intruder.heading('Welcome, Nora')).toBeHidden();
  await intruder.signIn('client', who.email, password);
  await expect(intruder.page.getByRole('alert')).toBeVisible();

  await owner.open(link);
  await owner.button("This wasn't me, secure the account").click();
  await expect(owner.heading('This link is no longer valid')).toBeVisible();

  await office.setPassword(who.email, 'Choose a new password');
  await owner.signIn('client', who.email, password);
  await expect(owner.heading('Welcome, Nora')).toBeVisible();
});
