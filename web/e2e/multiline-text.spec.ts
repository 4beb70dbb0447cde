/** Multiline text: line breaks that users type are shown everywhere. */
import type { Locator } from '@playwright/test';
import { expect, test } from './support/fixtures';

const lines = '1. Sign page 2\n2. Add the seal';

/** Rendered text (`innerText`), not `textContent`. */
const expectLines = (place: Locator) => expect.poll(() => place.innerText()).toContain(lines);

test('multiline reasons, instructions, notes and messages keep their line breaks', async ({ office }) => {
  const who = office.newPerson('Mirela', 'Popa');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const sigrid = await office.superAdmin();
  const mirela = await office.person(who.email);
  const order = () =>
    sigrid.api.get<{ version: number; steps: { id: string; version: number; step_name: string }[] }>(
      `/rest/v1/spvs/${spv.id}`,
    );
  const step = (await order()).steps[0] ?? { id: '', step_name: '' };
  await sigrid.api.patch(`/rest/v1/steps/${step.id}`, {
    status: 'blocked',
    blocked_reason: lines,
    waiting_on: 'client',
    text_data: `Note\n${lines}`,
  });
  await sigrid.api.post(`/rest/v1/spvs/${spv.id}/document-requests`, {
    name: 'Passport copy',
    instructions: lines,
  });
  for (const [person, path] of [
    [mirela, `/client-dashboard/orders/${spv.id}`],
    [sigrid, `/employee-dashboard/orders/${spv.id}`],
  ] as const) {
    await person.open(path);
    const row = person.page.getByRole('listitem').filter({ hasText: step.step_name }).first();
    await expectLines(person === mirela ? mirela.card('Your tasks') : row);
    if (person === sigrid) await person.page.getByRole('tab', { name: 'Documents' }).click();
    await expectLines(person.page.getByRole('list', { name: 'Requested documents' }).getByRole('listitem'));
  }
  await sigrid.button('Waive Passport copy').click();
  await sigrid.fillFields({ Reason: lines }, sigrid.dialog('Waive Passport copy'));
  await sigrid.button('Waive', sigrid.dialog('Waive Passport copy')).click();
  await sigrid.expectToast('Document waived', 'Passport copy');
  // In the activity entry and as the reason of the order.
  await sigrid.page.getByRole('tab', { name: 'Activity' }).click();
  await expectLines(sigrid.card('Timeline').getByRole('listitem').first());
  await sigrid.api.post(`/rest/v1/spvs/${spv.id}/hold`, { reason: lines });
  for (const person of [mirela, sigrid]) {
    await expect(person.page.getByText(/^Reason: 1\. Sign/).first()).toBeVisible();
    await expectLines(person.page.getByText(/^Reason: 1\. Sign/).first());
  }
  // A voided invoice.
  const { items } = await mirela.api.get<{ items: { id: string; number: string }[] }>('/rest/v1/invoices');
  const invoice = items[0] ?? { id: '', number: '' };
  await sigrid.open(`/employee-dashboard/invoices/${invoice.id}`);
  await sigrid.button('Void').click();
  const voiding = sigrid.page.getByRole('dialog');
  await sigrid.fillFields({ Reason: lines }, voiding);
  await voiding.getByRole('button', { name: /Void/ }).last().click();
  await expectLines(sigrid.page.getByRole('article', { name: `Invoice ${invoice.number}` }));
});
