/** Unsaved changes: input is never discarded without a question, however the page is left. */
import type { Dialog, Page } from '@playwright/test';
import { expect, test } from './support/fixtures';

const words = 'Discard changes?';

test('settings and profiles ask before discarding input', async ({ office }) => {
  const who = office.newPerson('Ottilie', 'Brand');
  await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const ottilie = await office.person(who.email);
  const question = ottilie.dialog(words);
  await ottilie.open('/client-dashboard');
  await ottilie.link('Profile').click();
  await expect(ottilie.field('City')).toBeVisible();
  // No question without input.
  await ottilie.link('Documents').click();
  await ottilie.expectPath('/client-dashboard/documents');
  await ottilie.page.goBack();
  await ottilie.fillFields({ City: 'Basel' });
  for (const leave of [
    () => ottilie.link('Documents').click(),
    () => ottilie.page.getByRole('tab', { name: 'Preferences', exact: true }).click(),
    () => ottilie.page.goBack({ waitUntil: 'commit' }).catch(() => null),
    () => ottilie.button('Logout').click(),
  ]) {
    await leave();
    await ottilie.button('Cancel', question).click();
    await expect(question).toHaveCount(0);
    await expect(ottilie.field('City')).toHaveValue('Basel');
    await ottilie.expectPath('/client-profile');
  }
  // Closing the tab asks too.
  const asked = ottilie.page.waitForEvent('dialog');
  const reloading = ottilie.page.reload({ timeout: 5000 }).catch(() => null);
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await reloading;
  await expect(ottilie.field('City')).toHaveValue('Basel');
  // Saved forms ask nothing; discarded input is gone.
  await ottilie.button('Save Changes').click();
  await ottilie.expectToast('Profile Updated');
  await ottilie.link('Documents').click();
  await ottilie.expectPath('/client-dashboard/documents');
  await ottilie.open('/client-profile?tab=preferences');
  await ottilie.choose('Date format', 'Year-month-day');
  await ottilie.link('Documents').click();
  await ottilie.button('Discard', question).click();
  await ottilie.expectPath('/client-dashboard/documents');
  await ottilie.open('/client-dashboard/orders/new');
  await ottilie.fillFields({ 'First choice': 'Basel One' });
  await ottilie.link('Dashboard').first().click();
  await ottilie.button('Discard', question).click();
  await ottilie.expectPath('/client-dashboard');

  const sigrid = await office.superAdmin();
  for (const [from, entry, form, field] of [
    ['/admin-dashboard/logs', 'System Settings', undefined, 'Name'],
    ['/employee-dashboard/leads', 'Dashboard', 'Quick Setup (Email)', 'First name'],
  ] as const) {
    await sigrid.open(from);
    await sigrid.link(entry).first().click();
    if (form) await sigrid.button(form).click();
    await sigrid.fillFields({ [field]: 'typed' });
    await sigrid.page.goBack({ waitUntil: 'commit' }).catch(() => null);
    await sigrid.button('Cancel', sigrid.dialog(words)).click();
    await expect(sigrid.field(field)).toHaveValue('typed');
  }
  await sigrid.page.close({ runBeforeUnload: false });
});

test('every portal has a logout button at every width', async ({ office }) => {
  const everyone = [
    [await office.client(), '/client-dashboard'],
    [await office.employee(), '/employee-dashboard'],
    [await office.iso(), '/iso-dashboard'],
    [await office.companyAdmin(), '/company-dashboard'],
    [await office.superAdmin(), '/admin-dashboard'],
  ] as const;
  for (const [person, path] of everyone) {
    await person.open(path);
    for (const width of [1440, 768, 390, 320]) {
      await person.page.setViewportSize({ width, height: 800 });
      // The sidebar is a drawer on small screens.
      const drawer = width <= 900;
      if (drawer) await person.button('Open navigation').click();
      await expect(person.button('Logout').filter({ visible: true })).toHaveCount(1);
      if (drawer) await person.page.keyboard.press('Escape');
      expect(
        await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  }
});

test('the create dialogs keep a draft over a reload, until it is discarded', async ({ office }) => {
  const elias = await office.employee();
  for (const [path, button, field] of [
    ['/employee-dashboard', 'Quick Setup (Email)', 'First name'],
    ['/employee-dashboard/companies', 'Add company', 'Name'],
    ['/employee-dashboard/isos', 'Add ISO', 'First name'],
    ['/employee-dashboard/spvs', 'Create SPV Order', 'Vehicle name'],
  ] as const) {
    await elias.open(path);
    await elias.button(button).click();
    const form = elias.page.getByRole('dialog');
    await elias.fillFields({ [field]: 'typed' }, form);
    elias.page.once('dialog', (dialog) => void dialog.accept());
    await elias.page.reload();
    // The address opens the dialog again.
    await expect(elias.field(field, form)).toHaveValue('typed');
    await elias.page.keyboard.press('Escape');
    await elias.button('Discard', form).click();
    await elias.button(button).click();
    await expect(elias.field(field, form)).toHaveValue('');
    await elias.page.keyboard.press('Escape');
  }
});

const changed = 'Sigrid Aalto changed this on';

/** Loads the page again, after others have changed something. */
async function reload(page: Page, meanwhile?: () => Promise<unknown>): Promise<void> {
  const url = page.url();
  const accept = (dialog: Dialog) => void dialog.accept();
  page.on('dialog', accept);
  await page.goto('about:blank');
  await meanwhile?.();
  await page.goto(url);
  page.off('dialog', accept);
}

test('an edit of settings survives a reload, and is never saved over a newer version of its fields', async ({
  ownOffice: office,
}) => {
  const api = await office.api();
  const sigrid = await office.superAdmin();
  await sigrid.open('/admin-dashboard/settings');
  const card = sigrid.page.getByRole('form', { name: 'Account representative and support' });
  const representative = sigrid.field('Account representative', card);
  const name = await representative.inputValue();
  await representative.fill('Elias Brandt II');
  await reload(sigrid.page);
  await expect(representative).toHaveValue('Elias Brandt II');
  await expect(card.getByRole('status')).toHaveText('1 unsaved change');
  await representative.fill(name);
  await expect(card.getByRole('status')).toHaveText('');

  const phone = sigrid.field('Support phone', card);
  await phone.fill('+1 555 0101');
  await reload(sigrid.page, () => api.put('/rest/v1/settings', { brand_name: 'Northern Formations' }));
  await expect(phone).toHaveValue('+1 555 0101');
  await expect(card.getByRole('status')).toHaveText('1 unsaved change');
  await sigrid.button('Save', card).click();
  await sigrid.expectToast('Settings Saved');

  // Discarded input is no draft.
  await phone.fill('+1 555 0102');
  await sigrid.link('User Management').click();
  await sigrid.button('Discard', sigrid.dialog(words)).click();
  await sigrid.open('/admin-dashboard/settings');
  await expect(phone).toHaveValue('+1 555 0101');

  await phone.fill('+1 555 0103');
  await reload(sigrid.page, () => api.put('/rest/v1/settings', { support_phone: '+1 555 0199' }));
  await expect(phone).toHaveValue('+1 555 0103');
  await sigrid.button('Save', card).click();
  await expect(card.getByRole('alert')).toContainText(changed);
  await sigrid.button('Reload', card).click();
  await expect(phone).toHaveValue('+1 555 0199');
});

test('an edit begun on one record does not stay open on another', async ({ office }) => {
  const first = await office.clientWithOrder(office.newPerson('Ottilie', 'Brand'));
  const second = await office.clientWithOrder(office.newPerson('Pernille', 'Voss'));
  const elias = await office.employee();
  await elias.open(`/employee-dashboard/orders/${second.spv.id}`);
  await expect(elias.button('Edit Reference Not set')).toBeVisible();
  await elias.page.keyboard.press('Control+k');
  await elias.page.getByRole('combobox').fill(first.spv.identifier);
  await elias.page.getByRole('option', { name: first.spv.identifier }).click();
  await expect(elias.heading(first.spv.identifier)).toBeVisible();
  await elias.button('Edit Reference Not set').click();
  await elias.page.getByRole('textbox', { name: 'Reference', exact: true }).fill('of the first');
  await elias.page.goBack();
  await elias.button('Discard', elias.dialog(words)).click();
  await expect(elias.heading(second.spv.identifier)).toBeVisible();
  await expect(elias.button('Edit Reference Not set')).toBeVisible();
});

test('a restored draft names its company and partner, also where they are not among the first choices', async ({
  office,
}) => {
  const api = await office.api();
  const company = await office.company();
  const partner = office.newPerson('Zora', 'Zweig');
  await api.post('/rest/v1/isos', {
    first_name: partner.first,
    last_name: partner.last,
    email: partner.email,
    company_id: company.id,
  });
  const elias = await office.employee();
  await elias.open('/employee-dashboard');
  await elias.button('Quick Setup (Email)').click();
  const form = elias.page.getByRole('dialog');
  await elias.pickFromSearch('Company', company.name, form);
  await elias.pickFromSearch('ISO', partner.name, form);
  // The lists of choices do not have them.
  for (const list of ['companies', 'isos']) {
    await elias.page.route(`**/rest/v1/${list}?*`, (route) =>
      route.fulfill({ json: { items: [], next_cursor: null, total: null } }),
    );
  }
  elias.page.once('dialog', (dialog) => void dialog.accept());
  await elias.page.reload();
  await expect(elias.field('Company', form)).toHaveValue(company.name);
  await expect(elias.field('ISO', form)).toHaveValue(partner.name);
});
