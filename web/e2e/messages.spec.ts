/** Messages: live conversations and internal notes. */
import { paths } from '../src/paths';
import type { Person } from './support/users';
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

test('client and staff exchange messages about an order, and internal notes stay with staff @postgres', async ({
  office,
}) => {
  const who = office.newPerson('Maya', 'Ortiz');
  const { client, spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const maya = await office.visitor();
  await maya.signIn('client', who.email, password);
  await maya.link('View Details of ' + spv.identifier).click();
  await expect(maya.page.getByText('Ask us anything. Our team replies here.')).toBeVisible();

  const elias = await office.employee();
  await elias.open(paths.employeeOrderTab(spv.id, 'messages'));
  const mayas = maya.page.getByRole('log', { name: 'Messages' });
  const eliases = elias.page.getByRole('log', { name: 'Messages' });

  await Promise.all([
    maya.withoutReload(async () => {
      await maya.fillFields({ 'Write a message': 'When do you file?' });
      await maya.button('Send').click();
      await expect(mayas.getByText('When do you file?')).toBeVisible();
      await expect(mayas.getByText('On Monday.')).toBeVisible({ timeout: 15_000 });
      await expect(mayas.getByText('Elias Brandt')).toBeVisible();
      await expect(maya.page.getByText('She is in a hurry')).toHaveCount(0);
    }),
    elias.withoutReload(async () => {
      await expect(eliases.getByText('When do you file?')).toBeVisible({ timeout: 15_000 });
      await elias.page.getByRole('switch', { name: 'Internal note' }).click();
      await elias.fillFields({ 'Write an internal note': 'She is in a hurry' });
      await elias.button('Save note').click();
      await expect(eliases.getByText('She is in a hurry')).toBeVisible();
      await elias.page.getByRole('switch', { name: 'Internal note' }).click();
      await elias.fillFields({ 'Write a message': 'On Monday.' });
      await elias.button('Send').click();
      await expect(eliases.getByText('On Monday.')).toBeVisible();
    }),
  ]);
  await expect(eliases.getByRole('listitem')).toHaveCount(3);
  await expect(mayas.getByRole('listitem')).toHaveCount(2);

  // The client's page has the notes of all conversations.
  await elias.open(`${paths.employeeClient(client.id)}?tab=notes`);
  const notes = elias.page.getByRole('tabpanel').getByRole('listitem');
  await expect(notes).toHaveCount(1);
  await elias.fillFields({ 'Write an internal note': 'Call before noon' });
  await elias.button('Save note').click();
  await expect(notes.first()).toContainText('Call before noon');
  await expect(notes.first()).toContainText('Support');
  await expect(notes.nth(1)).toContainText('She is in a hurry');
  await elias.page.reload();
  await expect(notes).toHaveCount(2);
});

test('Contact Support opens the general conversation, and unread messages are counted', async ({
  office,
}) => {
  const who = office.newPerson('Nora', 'Lund');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const nora = await office.visitor();
  await nora.signIn('client', who.email, password);
  await nora.link('Contact Support').click();
  await nora.expectPath('/client-dashboard/messages?thread=support');
  await nora.fillFields({ 'Write a message': 'May I pay by wire?' });
  await nora.button('Send').click();
  await expect(nora.page.getByRole('log').getByText('May I pay by wire?')).toBeVisible();
  await nora.link('Dashboard').click();

  await nora.withoutReload(async () => {
    const sigrid = await office.superAdmin();
    await sigrid.open('/employee-dashboard/messages');
    const thread = sigrid.page
      .getByRole('list', { name: 'Conversations' })
      .getByRole('button', { name: who.name });
    await expect(thread).toContainText('1 unread message');
    await thread.click();
    await expect(thread).not.toContainText('unread');
    await sigrid.fillFields({ 'Write a message': 'Yes, the details are on the invoice.' });
    await sigrid.button('Send').click();
    const entry = nora.page.getByRole('navigation').getByRole('link', { name: /^Messages/ });
    await expect(entry).toContainText('1 unread message');
    await entry.click();
    await nora.page
      .getByRole('list', { name: 'Conversations' })
      .getByRole('button', { name: 'Support' })
      .click();
    await expect(nora.page.getByRole('log').getByText('Yes, the details are on the invoice.')).toBeVisible();
    await expect(entry).not.toContainText('unread');
  });
});

test('attachments go both ways, and attachments of internal notes stay with staff', async ({ office }) => {
  const who = office.newPerson('Livia', 'Marsh');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const livia = await office.person(who.email);
  const elias = await office.employee();
  const attach = async (person: Person, name: string) => {
    const input = person.page.locator('input[type="file"][aria-label="Attach files"]');
    await input.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    const uploads = person.page.locator('form').getByRole('list', { name: 'Uploads' });
    await expect(uploads.getByRole('listitem').filter({ hasText: name })).toContainText('Uploaded');
  };
  await livia.open(`/client-dashboard/orders/${spv.id}`);
  await elias.open(paths.employeeOrderTab(spv.id, 'messages'));
  const hers = livia.page.getByRole('log', { name: 'Messages' });
  const theirs = elias.page.getByRole('log', { name: 'Messages' });
  const table = `Documents of ${spv.identifier}`;

  // A file without text is a valid message.
  await expect(livia.button('Send')).toBeDisabled();
  await attach(livia, 'plan.txt');
  // Files attached while a message is sending go with the next one.
  let arrive = () => undefined as void;
  const way = new Promise<void>((resolve) => (arrive = resolve));
  const messages = '**/rest/v1/messages';
  await livia.page.route(messages, async (route) => {
    await way;
    return route.continue();
  });
  await livia.button('Send').click();
  await attach(livia, 'annex.txt');
  await livia.fillFields({ 'Write a message': 'And this' });
  arrive();
  await expect(hers.getByRole('link', { name: 'plan.txt' })).toBeVisible();
  const waiting = livia.page.locator('form').getByRole('list', { name: 'Uploads' });
  await expect(waiting.getByRole('listitem')).toHaveCount(1);
  await expect(waiting).toContainText('annex.txt');
  await livia.button('Send').click();
  await expect(hers.getByRole('link', { name: 'annex.txt' })).toBeVisible();
  await expect(hers).toContainText('And this');
  await expect(waiting).toHaveCount(0);
  await livia.page.unroute(messages);
  await expect(theirs.getByRole('link', { name: 'plan.txt' })).toBeVisible();
  await expect(livia.row('plan.txt', table)).toBeVisible();

  await elias.page.getByRole('switch', { name: 'Internal note' }).click();
  await attach(elias, 'doubts.txt');
  await elias.fillFields({ 'Write an internal note': 'See here' });
  await elias.button('Save note').click();
  await expect(theirs.getByRole('link', { name: 'doubts.txt' })).toBeVisible();
  await elias.page.getByRole('tab', { name: 'Documents' }).click();
  await expect(elias.row('doubts.txt', table)).toContainText('Our team only');
  await elias.page.getByRole('tab', { name: 'Messages' }).click();
  // The composer begins with a message for the client again.
  await expect(elias.page.getByRole('switch', { name: 'Internal note' })).not.toBeChecked();
  await attach(elias, 'contract.txt');
  await elias.fillFields({ 'Write a message': 'Please sign this' });
  await elias.button('Send').click();

  await expect(hers.getByRole('link', { name: 'contract.txt' })).toBeVisible();
  const saved = livia.page.waitForEvent('download');
  await livia.button('Download contract.txt, version 1', hers).click();
  expect((await saved).suggestedFilename()).toBe('contract.txt');
  await expect(livia.row('contract.txt', table)).toBeVisible();
  await expect(livia.page.getByText('doubts.txt')).toHaveCount(0);
  await livia.open('/client-dashboard/documents');
  await expect(livia.row('contract.txt')).toBeVisible();
  await expect(livia.row('doubts.txt')).toHaveCount(0);
});
