/** Client home: what the office needs, each with the button that does it, then a timeline for each vehicle. */
import { paths } from '../src/paths';
import { pdf } from './support/pdf';
import { expect, test } from './support/fixtures';

interface Order {
  steps: { id: string; step_name: string }[];
}

test('home lists documents, payments, steps and messages, and an upload finishes in place', async ({
  office,
}) => {
  const who = office.newPerson('Idun', 'Vale');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const staff = await office.api('employee@example.com');
  const { steps } = await staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const [first] = steps;
  await staff.post(`/rest/v1/spvs/${spv.id}/document-requests`, {
    name: 'Proof of address',
    instructions: 'Not older than three months',
    due_date: '2020-01-15',
  });
  await staff.patch(`/rest/v1/steps/${first?.id}`, { owner: 'client', due_date: '2031-02-03' });
  await staff.post('/rest/v1/messages', { spv_id: spv.id, body: 'Which bank do you prefer?' });

  const idun = await office.person(who.email);
  await idun.open(paths.clientDashboard);
  const needs = idun.page.getByRole('list', { name: 'What we need from you' }).locator('> li');
  const document = needs.filter({ hasText: 'Proof of address' });
  await expect(needs.first()).toContainText('Upload Proof of address');
  await expect(document).toContainText('Not older than three months');
  await expect(document).toContainText(/Overdue by \d+ days/);
  await expect(document).toContainText('up to 25 MB');
  await expect(needs.filter({ hasText: first?.step_name })).toContainText('Due Feb 3, 2031');
  await expect(needs.filter({ hasText: 'Which bank do you prefer?' })).toContainText('Reply to Elias Brandt');
  const confirm = idun.link(`Confirm ${first?.step_name}`);
  await expect(needs.filter({ has: confirm })).toContainText(`Confirm: ${first?.step_name}`);
  const { items } = await idun.api.get<{ items: { id: string; number: string }[] }>('/rest/v1/invoices');
  const invoice = items[0] ?? { id: '', number: '' };
  await expect(idun.link(`Pay invoice ${invoice.number}`)).toHaveAttribute(
    'href',
    paths.clientInvoice(invoice.id),
  );

  // The timeline keeps the sequence and marks the client's own step.
  const timeline = idun.page.getByRole('list', { name: `Steps of ${spv.identifier}` }).locator('> li');
  await expect(timeline).toHaveCount(steps.length);
  await expect(timeline.first()).toContainText(`${first?.step_name}You`);

  const chooser = idun.page.waitForEvent('filechooser');
  await idun.button('Upload Proof of address').click();
  await (
    await chooser
  ).setFiles({
    name: 'address.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(pdf('Address')),
  });
  await expect(document).toContainText('Sent. We usually review within one business day.');
  await idun.expectPath(paths.clientDashboard);
  await expect(idun.button('Upload Proof of address')).toHaveCount(0);

  // A dropped file works on the whole row.
  await staff.post(`/rest/v1/spvs/${spv.id}/document-requests`, { name: 'Passport copy' });
  const passport = idun.page.getByRole('group', { name: 'Upload Passport copy', exact: true });
  await passport.drop({
    files: { name: 'passport.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf('Passport')) },
  });
  await expect(needs.filter({ hasText: 'Passport copy' })).toContainText('Sent.');

  // A step is confirmed by a message that is begun once; a reload does not bring it back.
  await confirm.click();
  const message = idun.page.getByRole('textbox', { name: 'Write a message' });
  await expect(message).toHaveValue(`“${first?.step_name}” is done.`);
  await expect(message).toBeFocused();
  await idun.button('Send').click();
  await expect(idun.page.getByRole('log', { name: 'Messages' })).toContainText('is done.');
  await expect(message).toHaveValue('');
  await idun.page.reload();
  await expect(idun.page.getByRole('log', { name: 'Messages' })).toContainText('is done.');
  await expect(message).toHaveValue('');
});

test('home says that nothing is needed', async ({ office }) => {
  const who = office.newPerson('Rolf', 'Sten');
  const company = await office.company();
  await office.portal.operator(
    ...['user', 'create', '--role', 'client', '--first-name', who.first, '--last-name', who.last],
    ...['--email', who.email, '--company', company.name],
  );
  await office.setPassword(who.email);
  const rolf = await office.person(who.email);
  await rolf.open(paths.clientDashboard);
  await expect(rolf.card('What we need from you')).toContainText("You're all caught up");
});
