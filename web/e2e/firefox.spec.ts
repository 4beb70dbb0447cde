/** One way through the portal in Firefox: sign in, complete a step, upload, jump by the palette, print. */
import { writeFile } from 'node:fs/promises';
import puppeteer, { type ElementHandle } from 'puppeteer-core';
import { paths } from '../src/paths';
import { firefox } from './support/env';
import { expect, test } from './support/fixtures';
import { password } from './support/portal';

interface Order {
  identifier: string;
  steps: { step_name: string; status: string }[];
}

test('employee works in Firefox', async ({ office }, testInfo) => {
  test.setTimeout(120_000);
  const { spv } = await office.clientWithOrder(office.newPerson('Frida', 'Fuchs'));
  const staff = await office.api('employee@example.com');
  const order = () => staff.get<Order>(`/rest/v1/spvs/${spv.id}`);
  const { identifier, steps } = await order();
  const first = steps[0]?.step_name ?? '';

  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefox });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    const open = (path: string) => page.goto(new URL(path, office.portal.url).href);
    const named = (role: string, name: string) =>
      page.locator(`::-p-aria([name="${name}"][role="${role}"])`).setTimeout(15_000);

    await open(paths.login('employee'));
    await named('textbox', 'Email').fill('employee@example.com');
    await page.locator('input[type="password"]').fill(password);
    await page.keyboard.press('Enter');
    await named('heading', 'Employee dashboard').wait();

    await open(paths.employeeOrder(spv.id));
    await named('button', `Complete ${first}`).click();
    await expect.poll(async () => (await order()).steps[0]?.status).toBe('completed');

    await open(`${paths.employeeOrder(spv.id)}?tab=documents`);
    const deed = testInfo.outputPath('deed.pdf');
    await writeFile(deed, '%PDF-1.4\n');
    const input = (await page.waitForSelector('input[type="file"]')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(deed);
    await named('link', 'deed.pdf').wait();

    await page.keyboard.down('Control');
    await page.keyboard.press('KeyK');
    await page.keyboard.up('Control');
    await page.locator('[role="combobox"]').fill(identifier);
    await page.locator(`::-p-text(${identifier})`).wait();
    await page.keyboard.press('Enter');
    await page.waitForFunction((id) => location.pathname.endsWith(id), {}, spv.id);

    const paper = await page.pdf();
    expect(Buffer.from(paper).subarray(0, 5).toString()).toBe('%PDF-');
    expect(paper.length).toBeGreaterThan(5_000);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
