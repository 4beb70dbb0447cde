/** Document previews: bundled fonts and decoders, and a message for content that cannot be drawn. */
import type { Locator } from '@playwright/test';
import type { Person } from './support/users';
import { brokenJpxPdf, cjkPdf, letterPdf, pdf, jpxPdf } from './support/pdf';
import { expect, test } from './support/fixtures';

/** Ink on a canvas: share of non-white pixels in their bounding box, and their mean color. */
const measureInk = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const { width, height } = element;
    const data = element.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    let [left, right, top, bottom, dots] = [width, 0, height, 0, 0];
    const sum = [0, 0, 0];
    for (let at = 0; at < data.length; at += 4) {
      const colour = [...data.slice(at, at + 3)];
      if (Math.min(...colour) > 128) continue;
      const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
      [left, right, top, bottom] = [
        Math.min(left, x),
        Math.max(right, x),
        Math.min(top, y),
        Math.max(bottom, y),
      ];
      dots += 1;
      for (const part of [0, 1, 2]) sum[part] = (sum[part] ?? 0) + (colour[part] ?? 0);
    }
    const box = Math.max(0, right - left + 1) * Math.max(0, bottom - top + 1);
    return {
      width: Math.max(0, right - left) / width,
      full: box ? dots / box : 0,
      colour: sum.map((part) => Math.round(part / (dots || 1))),
    };
  });

async function openPreview(person: Person, name: string, shows: (dialog: Locator) => Promise<void>) {
  await person.button(`Preview ${name}, version 1`).click();
  const dialog = person.dialog(name);
  await shows(dialog);
  await person.button('Close', dialog).click();
  await expect(dialog).toHaveCount(0);
}

const partial = "Some content can't be shown here. Download the file to see all of it.";

test('preview draws JPEG 2000, CJK text and symbols without embedded fonts and reports missing content', async ({
  office,
}) => {
  const who = office.newPerson('Kaori', 'Meyer');
  const { spv } = await office.clientWithOrder(who);
  await office.setPassword(who.email);
  const kaori = await office.person(who.email);
  await kaori.open(`/client-dashboard/orders/${spv.id}`);
  const files = {
    'scan.pdf': jpxPdf,
    'japanese.pdf': cjkPdf,
    'tick.pdf': letterPdf('ZapfDingbats', '4'),
    'greek.pdf': letterPdf('Symbol', 'W'),
    'times.pdf': letterPdf('Times-Roman', 'i'),
    'plain.pdf': pdf('Plain'),
    'broken.pdf': brokenJpxPdf,
    'passport.heic': Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0mif1heic', 'latin1'),
  };
  const area = kaori.page.getByRole('group', {
    name: `Upload documents for ${spv.identifier}`,
    exact: true,
  });
  await area
    .locator('input[type="file"]')
    .first()
    .setInputFiles(
      Object.entries(files).map(([name, buffer]) => ({
        name,
        buffer,
        mimeType: 'application/octet-stream',
      })),
    );
  for (const name of Object.keys(files)) {
    await expect(kaori.row(name, `Documents of ${spv.identifier}`)).toBeVisible({ timeout: 30_000 });
  }

  const drawn = async (dialog: Locator, right: (ink: Awaited<ReturnType<typeof measureInk>>) => boolean) => {
    const canvas = dialog.getByRole('img', { name: /page 1 of 1$/ });
    await expect(canvas).toBeVisible();
    await expect.poll(async () => right(await measureInk(canvas)), { timeout: 15_000 }).toBe(true);
    await expect(dialog.getByText(partial)).toHaveCount(0);
  };
  await openPreview(kaori, 'scan.pdf', (dialog) =>
    drawn(dialog, ({ full, colour: [red = 0, , blue = 0] }) => full > 0.95 && blue > 120 && red < 40),
  );
  // Three letters, each 60 of 300 points wide.
  await openPreview(kaori, 'japanese.pdf', (dialog) =>
    drawn(dialog, ({ width, full }) => width > 0.5 && full > 0.05 && full < 0.5),
  );
  // An unknown glyph is drawn as a black square.
  for (const name of ['tick.pdf', 'greek.pdf', 'times.pdf', 'plain.pdf']) {
    await openPreview(kaori, name, (dialog) => drawn(dialog, ({ full }) => full > 0.05 && full < 0.7));
  }
  const missing = async (dialog: Locator, words: string) => {
    await expect(dialog.getByRole('status')).toContainText(words);
    const saved = kaori.page.waitForEvent('download');
    await kaori.button('Download', dialog).click();
    return (await saved).suggestedFilename();
  };
  await openPreview(kaori, 'broken.pdf', async (dialog) => {
    expect(await missing(dialog, partial)).toBe('broken.pdf');
  });
  await openPreview(kaori, 'passport.heic', async (dialog) => {
    expect(await missing(dialog, 'This image format has no preview. Download it instead.')).toBe(
      'passport.heic',
    );
  });
  // A font that fails to load is reported as missing content too.
  kaori.allowError(/Failed to load resource/);
  await kaori.page.route('**/FoxitDingbats.pfb', (route) => route.abort());
  await kaori.page.context().route('**/FoxitDingbats.pfb', (route) => route.abort());
  await openPreview(kaori, 'tick.pdf', async (dialog) => {
    expect(await missing(dialog, partial)).toBe('tick.pdf');
  });
});
