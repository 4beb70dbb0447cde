/** Cold start: the shell before the scripts, and the files on the way to a page. */
import { expect, test } from './support/fixtures';
import { waitForIdle } from './support/pageChecks';

/** Chunks of the build. */
const MAX_FILES = 15;

test('shell is painted in the scheme and language of the user while the scripts load', async ({ office }) => {
  const elias = await office.employee({ colorScheme: 'dark', locale: 'es-ES' });
  const { page } = elias;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/employee-dashboard', { waitUntil: 'commit' });
  const shell = page.getByRole('status').filter({ hasText: 'Cargando el portal SPV…' });
  await expect(shell).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'es');
  await expect(page.locator('#shell')).toHaveCSS('background-color', 'rgb(19, 21, 24)');
  await expect(page.locator('#shell nav')).toBeVisible();
  release();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('#shell')).toHaveCount(0);
});

test('few files lead to the employee dashboard', async ({ office }) => {
  const elias = await office.employee();
  const files = new Set<string>();
  elias.page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (/^\/assets\/.*\.(js|css)$/.test(pathname)) files.add(pathname);
  });
  await elias.open('/employee-dashboard');
  await expect(elias.heading('Employee dashboard')).toBeVisible();
  await waitForIdle(elias.page);
  expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(MAX_FILES);
});
