/** Cold start: the shell before the scripts, and the files on the way to a page. */
import type { Page } from '@playwright/test';
import { paths } from '../src/paths';
import { expect, test } from './support/fixtures';
import { waitForIdle } from './support/pageChecks';

/** Bytes on the wire, headers included, without a cache. */
const MAX_BYTES = { landing: 90_000, login: 200_000 };
/** Chunks of the build. */
const MAX_FILES = 15;

/** Sum of all responses until the network is idle. */
async function countBytes(page: Page): Promise<() => number> {
  const devtools = await page.context().newCDPSession(page);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  return () => bytes;
}

test('few bytes lead to the landing page and to sign-in', async ({ office }) => {
  const { page } = await office.visitor();
  const bytes = await countBytes(page);
  await page.goto(paths.landing);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const landing = bytes();
  expect(landing).toBeLessThanOrEqual(MAX_BYTES.landing);
  await page.goto(paths.login('client'));
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(bytes() - landing).toBeLessThanOrEqual(MAX_BYTES.login);
});

test('landing page is plain HTML until the visitor acts, and the first click counts', async ({ office }) => {
  const visitor = await office.visitor({ locale: 'es-ES', colorScheme: 'dark' });
  const { page } = visitor;
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
  });
  const hasReact = () => scripts.some((path) => path.includes('/core-'));
  await page.goto(paths.landing);
  const login = page.getByRole('button', { name: 'Iniciar sesión', exact: true });
  await expect(login).toBeVisible();
  await expect(page.getByRole('button', { name: 'Usar colores claros' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(hasReact()).toBe(false);
  // Without the pointer's way to it, which would load React before.
  await login.evaluate((button) => button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
  await login.evaluate((button: HTMLElement) => button.click());
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(hasReact()).toBe(true);
});

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
