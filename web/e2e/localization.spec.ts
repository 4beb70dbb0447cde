/** Localization and color schemes: the portal in Spanish, and in light and dark. */
import { paths } from '../src/paths';
import { isEnglish, isKey } from './support/messageCatalogue';
import type { Person } from './support/users';
import { waitForIdle, visibleTexts } from './support/pageChecks';
import { expect, test } from './support/fixtures';

const publicPages = [
  paths.landing,
  paths.about,
  paths.security,
  paths.help,
  paths.contact,
  paths.apiDocs,
  paths.portalSelector,
  paths.employeePortal,
  paths.login('client'),
  paths.login('employee'),
  paths.login('company'),
  paths.login('iso'),
  paths.signup,
  paths.signupFor('client'),
  paths.signupFor('employee'),
  paths.signupFor('iso'),
  paths.signupFor('company'),
  paths.forgotPassword,
  `${paths.confirm}?token_hash=x&type=magiclink`,
  `${paths.confirm}?token_hash=x&type=email_change`,
  `${paths.confirm}?error_code=otp_expired&type=signup`,
  `${paths.resetPassword}?token_hash=pkce_x&type=recovery`,
  `${paths.portalSelector}?error_code=account_requested`,
  paths.resetPassword,
  paths.success,
];

test('visitor switches to Spanish, and every open page follows', async ({ office }) => {
  const visitor = await office.visitor();
  await visitor.open('/');
  await waitForIdle(visitor.page);
  await expectTranslated(visitor, 'en');
  await visitor.page.getByRole('combobox', { name: 'Language' }).selectOption({ label: 'Español' });
  await expect(visitor.page.locator('html')).toHaveAttribute('lang', 'es');
  await expectTranslated(visitor, 'es');
  for (const path of publicPages) {
    await test.step(path, async () => {
      await visitor.open(path);
      await waitForIdle(visitor.page);
      await expectTranslated(visitor, 'es');
    });
  }
  await visitor.open('/');
  await visitor.page.getByRole('button', { name: 'Iniciar sesión' }).click();
  await expect(visitor.dialog('SPV Portal')).toBeVisible();
  await expectTranslated(visitor, 'es');
});

const portals = [
  [
    'client@example.com',
    [
      paths.clientDashboard,
      paths.clientOrders,
      paths.clientProfile,
      paths.clientNewOrder,
      paths.clientBilling,
      paths.clientProfileTab('preferences'),
    ],
  ],
  [
    'employee@example.com',
    [
      ...(['clients', 'companies', 'isos', 'spvs'] as const).map(paths.employeeTab),
      paths.requestManagement,
      paths.employeeInvoices,
    ],
  ],
  [
    'super@example.com',
    [paths.adminDashboard, paths.adminUsers, paths.adminRules, paths.adminSecurity, paths.companyDashboard],
  ],
  [
    'company@example.com',
    [paths.companyDashboard, paths.companySpvs, paths.companyEmployees, paths.companySettings],
  ],
  ['iso@example.com', [paths.isoDashboard]],
] as const;

for (const [email, pages] of portals) {
  test(`${email} switches to Spanish, and the choice persists`, async ({ ownOffice: office }) => {
    const person = await office.person(email);
    await person.open(pages[0]);
    await waitForIdle(person.page);
    await expectTranslated(person, 'en');
    await person.withoutReload(async () => {
      await person.page.getByRole('button', { name: /^Account menu of/ }).click();
      await person.page.getByRole('menuitem', { name: 'Español' }).click();
      await expect(person.page.locator('html')).toHaveAttribute('lang', 'es');
      await waitForIdle(person.page);
      await expectTranslated(person, 'es');
    });
    await expect
      .poll(async () => (await person.api.get<{ language: string }>('/rest/v1/me')).language)
      .toBe('es');
    for (const path of pages.slice(1)) {
      await test.step(path, async () => {
        await person.open(path);
        await waitForIdle(person.page);
        await expectTranslated(person, 'es');
      });
    }
    // A second browser of the same user with English preferred.
    const elsewhere = await office.person(email);
    await elsewhere.open(pages[0]);
    await waitForIdle(elsewhere.page);
    await expect(elsewhere.page.locator('html')).toHaveAttribute('lang', 'es');
    await expectTranslated(elsewhere, 'es');
  });
}

test('employee portal is translated to Spanish: dialogs, messages, toasts, dates and amounts', async ({
  ownOffice: office,
}) => {
  const elias = await office.employee();
  await elias.api.patch('/rest/v1/me', { language: 'es' });
  await elias.open('/employee-dashboard');
  await waitForIdle(elias.page);

  await elias.button('Alta rápida (correo)').click();
  await elias.button('Crear cliente').click();
  await elias.expectErrorToast('Falta información', 'Rellene todos los campos obligatorios');
  await expectTranslated(elias, 'es');

  const api = await office.api();
  const { items } = await api.get<{ items: { id: string; identifier: string; status: string }[] }>(
    '/rest/v1/spvs?status=processing',
  );
  const order = items[0];
  await elias.open(`${paths.employeeTab('spvs')}&spv=${order?.id}`);
  await waitForIdle(elias.page);
  await expectTranslated(elias, 'es');
  const region = elias.page.getByRole('region', { name: order?.identifier });
  await expect(region).toContainText(/\d{1,2} \p{L}{3,4} 20\d\d/u);
  await expect(region).toContainText(/\d(\.\d{3})*,\d\d\sUS\$/);
  await elias.page
    .getByRole('button', { name: /^Editar / })
    .first()
    .click();
  await expect(elias.page.getByRole('dialog')).toBeVisible();
  await expectTranslated(elias, 'es');
});

test('color scheme follows the system, the toggle, and persists', async ({ office }) => {
  const visitor = await office.visitor({ colorScheme: 'dark' });
  const amara = await office.client();
  await visitor.open('/');
  await expect.poll(() => brightness(visitor)).toBeLessThan(60);
  await visitor.button('Use light colors').click();
  await expect.poll(() => brightness(visitor)).toBeGreaterThan(200);
  await visitor.open('/auth/login/client');
  await expect.poll(() => brightness(visitor)).toBeGreaterThan(200);

  await amara.open('/client-dashboard');
  await waitForIdle(amara.page);
  await expect.poll(() => brightness(amara)).toBeGreaterThan(200);
  await amara.button('Switch to dark mode').click();
  await expect.poll(() => brightness(amara)).toBeLessThan(60);
  await amara.page.reload();
  await waitForIdle(amara.page);
  await expect.poll(() => brightness(amara)).toBeLessThan(60);
  await expect(amara.button('Switch to light mode')).toBeVisible();
});

/** Expects no text of the other language, no message keys, and enough texts to be meaningful. */
async function expectTranslated(person: Person, language: 'en' | 'es'): Promise<void> {
  const shown = await visibleTexts(person.page);
  expect.soft(shown.filter(isKey), 'keys instead of words').toEqual([]);
  const { pathname } = new URL(person.page.url());
  const place = pathname === paths.apiDocs ? 'document' : pathname.endsWith('-dashboard') ? 'portal' : 'open';
  const english = shown.filter((text) => isEnglish(text, place));
  if (language === 'en') expect(english.length, 'English texts').toBeGreaterThan(8);
  else expect.soft(english, `English on ${person.page.url()}`).toEqual([]);
}

async function brightness(person: Person): Promise<number> {
  const colour = await person.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const parts = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  return Math.max(...parts.slice(0, 3));
}
