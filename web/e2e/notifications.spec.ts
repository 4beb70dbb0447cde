/** Notification bell: new, live, and seen. */
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

test('notification bell counts new events live and links to them @postgres', async ({ office }) => {
  const who = office.newPerson('Bela', 'Toth');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const bela = await office.visitor();
  await bela.signIn('client', who.email, password);
  const bell = bela.page.getByRole('button', { name: /^Notifications/ });
  await expect(bell).toBeVisible();

  await bela.withoutReload(async () => {
    const centre = bela.dialog('Notifications');
    await bell.click();
    await expect(centre.getByText(`created order ${spv.identifier}`)).toBeVisible();
    await bela.button('Mark all as read', centre).click();
    await expect(bell).toHaveAccessibleName('Notifications');
    await bela.page.keyboard.press('Escape');

    const staff = await office.api('employee@example.com');
    await staff.post('/rest/v1/messages', { spv_id: spv.id, body: 'Your file is complete.' });
    await expect(bell).toHaveAccessibleName(/[1-9] unread/);
    await bell.click();
    const news = `Elias Brandt sent a message about order ${spv.identifier}`;
    await centre.getByRole('link', { name: news }).click();
    await expect(bela.page.getByRole('log').getByText('Your file is complete.')).toBeVisible();
    await bell.click();
    await expect(centre.getByText('Unread:')).toHaveCount(0);
  });
});

test('notification preferences are saved', async ({ office }) => {
  const who = office.newPerson('Cleo', 'Marsh');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const cleo = await office.visitor();
  await cleo.signIn('client', who.email, password);
  await expect(cleo.heading('Welcome, Cleo')).toBeVisible();
  await cleo.open('/client-profile?tab=notifications');
  await cleo.choose('Email: Messages', 'Daily summary');
  await cleo.expectToast('Settings Saved');
  await cleo.page.getByRole('switch', { name: 'In the app: Documents' }).click();
  await cleo.expectToast('Settings Saved');
  await cleo.open('/client-profile?tab=notifications');
  await expect(cleo.field('Email: Messages')).toHaveText('Daily summary');
  await expect(cleo.page.getByRole('switch', { name: 'In the app: Documents' })).not.toBeChecked();

  // One event with a preference different from its topic.
  const apart = cleo.button('Customize by event: Messages');
  await apart.focus();
  await cleo.page.keyboard.press('Enter');
  await expect(apart).toHaveAttribute('aria-expanded', 'true');
  await expect(cleo.field('Email: Message about an order')).toHaveText('Daily summary');
  await cleo.choose('Email: Message about an order', 'Off');
  await expect(cleo.field('Email: Messages')).toHaveText('Mixed');
  await cleo.open('/client-profile?tab=notifications');
  await cleo.page.setViewportSize({ width: 390, height: 844 });
  await cleo.button('Customize by event: Messages').click();
  await expect(cleo.field('Email: Message about an order')).toHaveText('Off');
  await expect(cleo.field('Email: Message not about an order')).toHaveText('Daily summary');
  // Staff-only topics are absent.
  await expect(cleo.page.getByText('Internal note about an order')).toHaveCount(0);
  // Setting the topic resets all of its events.
  await cleo.choose('Email: Messages', 'Immediately');
  await expect(cleo.field('Email: Message about an order')).toHaveText('Immediately');
  // A choice that failed to save is reverted.
  await cleo.expectToast('Settings Saved');
  cleo.allowError(/ERR_CONNECTION_RESET/);
  await cleo.page.route('**/rest/v1/me/notification-choices', (route) => route.abort('connectionreset'));
  await cleo.page.getByRole('switch', { name: 'In the app: Documents' }).click();
  await cleo.expectErrorToast('Error', "Can't reach the server. Check your connection and try again.");
  await expect(cleo.page.getByRole('switch', { name: 'In the app: Documents' })).not.toBeChecked();
});
