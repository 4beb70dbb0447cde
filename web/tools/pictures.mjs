// Takes the pictures of the landing page from a running demo portal, in both color schemes:
//   node web/tools/pictures.mjs http://127.0.0.1:8080
// Run it again when the screens have changed. CHROMIUM names the browser.
import { writeFile } from 'node:fs/promises';
import { chromium } from '@playwright/test';

const PASSWORD = process.env.SPV_DEMO_PASSWORD ?? 'portal-demo-2026';
const FOLDER = new URL('../src/portals/public/landing/pictures/', import.meta.url);
const SIZE = { width: 1180, height: 760 };
const SCALE = 1.25;
const QUALITY = 0.72;

/** Each with the account that sees it. */
const pictures = [
  { name: 'order', email: 'client@example.com', path: '/client-dashboard' },
  { name: 'desk', email: 'employee@example.com', path: '/employee-dashboard' },
  { name: 'figures', email: 'super@example.com', path: '/admin-dashboard/analytics' },
];

const origin = process.argv[2] ?? 'http://127.0.0.1:8080';
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'],
});

async function sessionOf(email) {
  const response = await fetch(`${origin}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`sign-in of ${email}: ${response.status}`);
  return response.text();
}

/** The page has its content: a heading, no skeleton and its fonts. */
async function settled(page) {
  await page.locator('main h1').first().waitFor({ timeout: 90_000 });
  await page.waitForFunction(() => !document.querySelector('main .mantine-Skeleton-root'), undefined, {
    timeout: 90_000,
  });
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1000);
}

/** The browser's own encoder, so no other program is needed. */
async function toWebp(page, png) {
  const url = await page.evaluate(
    async ([data, quality]) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    [png.toString('base64'), QUALITY],
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

for (const { name, email, path } of pictures) {
  const session = await sessionOf(email);
  for (const scheme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor: SCALE,
      colorScheme: scheme,
      locale: 'en-US',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.addInitScript((value) => localStorage.setItem('spv-auth-token', value), session);
    await page.goto(origin + path);
    await settled(page);
    // Demo offices alone have it.
    await page.getByRole('button', { name: 'Seed Test Data' }).evaluateAll((found) => {
      for (const button of found) button.style.visibility = 'hidden';
    });
    const png = await page.screenshot({ animations: 'disabled' });
    const file = new URL(`${name}-${scheme}.webp`, FOLDER);
    const webp = await toWebp(page, png);
    await writeFile(file, webp);
    console.log(`${file.pathname} ${Math.round(webp.length / 1000)} kB`);
    await context.close();
  }
}
await browser.close();
