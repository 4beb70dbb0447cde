/** A document moved, deleted and restored; client, company, ISO partner and country of an order corrected. */
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';

interface Document {
  id: string;
  spv_id: string | null;
}

test('document sent to the wrong order is renamed, moved, deleted and restored', async ({ office }) => {
  const who = office.newPerson('Ylva', 'Berg');
  const { spv, client } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const elias = await office.employee();
  const { id: other } = await elias.api.post<{ id: string }>('/rest/v1/spvs', {
    client_id: client.id,
    company_id: client.company_id,
    purchase_amount: '1000',
    vehicle_name: 'Fjord Holdings',
  });
  await elias.open(paths.employeeOrder(spv.id));
  await elias.page.getByRole('tab', { name: /^Documents/ }).click();
  const file = { name: 'deed.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 deed') };
  await elias.page.locator('input[type="file"]').first().setInputFiles(file);
  await elias.expectToast('File uploaded');
  const list = await elias.api.get<{ items: Document[] }>(`/rest/v1/documents?spv_id=${spv.id}`);
  const id = list.items[0]?.id ?? '';

  await elias.open(paths.employeeDocument(id));
  await elias.chooseRowAction('Rename or move…', 'deed.pdf');
  const change = elias.dialog('Rename or move document');
  await elias.fillFields({ Name: 'Deed of formation' }, change);
  await elias.pickFromSearch('Order', 'Fjord Holdings', change);
  await elias.button('Save', change).click();
  await elias.expectToast('Document updated', 'Deed of formation');
  await expect(elias.heading('Deed of formation').first()).toBeVisible();
  await expect(elias.link('Fjord Holdings')).toHaveAttribute('href', paths.employeeOrder(other));

  await elias.chooseRowAction('Delete…', 'Deed of formation');
  const question = elias.dialog('Delete Deed of formation?');
  await expect(question).toContainText('restored for 30 days');
  await elias.button('Delete', question).click();
  await elias.expectToast('Document deleted', 'Deed of formation');
  const ylva = await office.person(who.email);
  ylva.allowError(/404/);
  await ylva.open(paths.clientDocuments);
  await expect(ylva.page.getByText('No documents yet')).toBeVisible();

  await elias.open(paths.employeeDocuments);
  await elias.filterBy('Deleted', 'Yes');
  await elias.link('Deed of formation').click();
  await expect(elias.page.getByText(/^Deleted .* content is deleted for good/)).toBeVisible();
  await elias.button('Restore document').click();
  await elias.expectToast('Document restored', 'Deed of formation');
  await expect(elias.button('Restore document')).toHaveCount(0);
  await ylva.open(paths.clientDocuments);
  await expect(ylva.link('Deed of formation')).toBeVisible();
});

test('order is corrected to another client, and its country brings other steps', async ({ office }) => {
  const [from, to] = [office.newPerson('Signe', 'Holm'), office.newPerson('Torben', 'Dahl')];
  const { spv } = await office.clientWithOrder(from);
  const { client } = await office.clientWithOrder(to, spv.company_id);
  await office.setPassword(to.email);
  const elias = await office.employee();
  await elias.open(paths.employeeOrder(spv.id));
  await expect(elias.button('Change client, company or ISO partner…')).toHaveCount(0);

  const sam = await office.superAdmin();
  await sam.open(paths.employeeOrder(spv.id));
  await sam.button('Change client, company or ISO partner…').click();
  const form = sam.dialog('Change client, company or ISO partner');
  await sam.pickFromSearch('Client', `${to.first} ${to.last} (${to.email})`, form);
  await sam.button('Save', form).click();
  const question = sam.dialog('Correct client, company or ISO partner?');
  await expect(question).toContainText('is voided and raised anew');
  await sam.button('Correct to Torben Dahl', question).click();
  await sam.expectToast('Order corrected');
  await expect(sam.link('Torben Dahl').first()).toHaveAttribute('href', paths.employeeClient(client.id));

  await sam.page.getByRole('button', { name: 'Edit Country' }).click();
  await sam.choose('Country', 'Japan');
  await sam.page.getByRole('button', { name: 'Save' }).click();
  const steps = sam.dialog('Correct Country?');
  await expect(steps).toContainText('pending steps are replaced');
  await sam.button('Correct to Japan', steps).click();
  await sam.expectToast('Order corrected', 'Country');
  await expect(sam.page.getByRole('button', { name: 'Edit Country' })).toContainText('Japan');

  const torben = await office.person(to.email);
  await torben.open(paths.clientOrder(spv.id));
  await expect(torben.page.getByText('Japan').first()).toBeVisible();
});

test('open pages of old and new parties follow a corrected order', async ({ office }) => {
  const [clara, ingrid] = [await office.companyAdmin(), await office.iso()];
  const { company } = await clara.api.get<{ company: { id: string } }>('/rest/v1/me');
  const { iso } = await ingrid.api.get<{ iso: { id: string } }>('/rest/v1/me');
  const [from, to] = [office.newPerson('Runa', 'Lind'), office.newPerson('Aksel', 'Moe')];
  const { spv } = await office.clientWithOrder(from, company.id, iso.id);
  const { client } = await office.clientWithOrder(to, company.id);
  await office.setPassword(to.email);
  const sam = await office.api();
  await sam.patch(`/rest/v1/spvs/${spv.id}`, { vehicle_name: 'Lofoten Holdings' });
  const aksel = await office.person(to.email);
  await aksel.open(paths.clientOrders);
  ingrid.allowError(/404/);
  await ingrid.open(paths.isoOrder(spv.id));
  await expect(ingrid.heading('Lofoten Holdings').first()).toBeVisible();
  await expect(aksel.page.getByText('Lofoten Holdings')).toHaveCount(0);

  await sam.patch(`/rest/v1/spvs/${spv.id}`, { client_id: client.id, iso_id: null });
  await expect(aksel.page.getByText('Lofoten Holdings').first()).toBeVisible();
  await expect(ingrid.page.getByText('Lofoten Holdings')).toHaveCount(0);
});
