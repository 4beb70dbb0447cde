/** Email unsubscribe link (List-Unsubscribe): opening it changes nothing, the button stops the mails. */
import { axeViolations, waitForIdle, overflowingElements } from './support/pageChecks';
import { expect, test } from './support/fixtures';

interface Choices {
  items: { event: string; mail: string }[];
}

test('unsubscribe link asks for confirmation, then stops that kind of mail', async ({ office }) => {
  const who = office.newPerson('Nils', 'Quiet');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const nils = await office.person(who.email);
  const staff = await office.api('employee@example.com');
  await staff.post('/rest/v1/messages', { spv_id: spv.id, body: 'When shall we talk?' });
  const mail = async () => {
    // Updates have a grace period of two minutes before they are mailed.
    await office.portal.makeJobsDue();
    const mails = await office.portal.post.mails();
    return mails.find(({ to, unsubscribe }) => to.includes(who.email) && unsubscribe)?.unsubscribe ?? '';
  };
  await expect.poll(mail, { timeout: 30_000 }).toContain('/unsubscribe?token=');
  const link = await mail();
  const mailed = async () => {
    const { items } = await nils.api.get<Choices>('/rest/v1/me/notification-choices');
    return items.find(({ event }) => event === 'messages.message.sent')?.mail;
  };

  const visitor = await office.visitor();
  const { page } = visitor;
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
  await visitor.open(link);
  await expect(visitor.heading('Stop these emails?')).toBeVisible();
  await looksRight();
  // Mail scanners open links.
  expect(await mailed()).toBe('now');
  await visitor.button('Unsubscribe').click();
  await expect(visitor.heading("You're unsubscribed")).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'about individual updates' })).toBeVisible();
  await looksRight();
  expect(await mailed()).toBe('off');

  await visitor.open('/unsubscribe?token=unknown');
  await visitor.button('Unsubscribe').click();
  await expect(visitor.heading('This link is not valid')).toBeVisible();
});
