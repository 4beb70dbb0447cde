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
  const [first, second] = steps.map((step) => step.step_name) as [string, string];

  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefox });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    const open = (path: string) => page.goto(new URL(path, office.portal.url).href);
    // By XPath: a query by role and name takes Firefox longer than the page takes to load.
    const find = (xpath: string) => page.locator(`::-p-xpath(${xpath})`).setTimeout(15_000);

    await open(paths.login('employee'));
    await find('//input[@type="email"]').fill('employee@example.com');
    await find('//input[@type="password"]').fill(password);
    await page.keyboard.press('Enter');
    await find('//h1[.="Employee dashboard"]').wait();

    await open(paths.employeeOrder(spv.id));
    await find(`//button[@aria-label="Complete ${first}"]`).click();
    await expect.poll(async () => (await order()).steps[0]?.status).toBe('completed');

    await open(`${paths.employeeOrder(spv.id)}?tab=documents`);
    const deed = testInfo.outputPath('deed.pdf');
    await writeFile(deed, '%PDF-1.4\n');
    const input = (await page.waitForSelector('input[type="file"]')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(deed);
    await find('//*[text()="deed.pdf"]').wait();

    await open(paths.employeeTasks);
    await find('//h1').wait();
    await page.keyboard.down('Control');
    await page.keyboard.press('KeyK');
    await page.keyboard.up('Control');
    await find('//*[@role="combobox"]').fill(identifier);
    await find(`//*[@role="option"][contains(., "${identifier}")]`).wait();
    await page.keyboard.press('Enter');
    await find(`//button[@aria-label="Complete ${second}"]`).wait();
    expect(new URL(page.url()).pathname).toBe(paths.employeeOrder(spv.id));

    const paper = await page.pdf();
    expect(Buffer.from(paper).subarray(0, 5).toString()).toBe('%PDF-');
    expect(paper.length).toBeGreaterThan(5_000);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
