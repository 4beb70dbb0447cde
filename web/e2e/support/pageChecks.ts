/** Page checks: loading state, overflow, accessibility violations (axe) and visible texts. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import { expect, type Page } from '@playwright/test';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until nothing is loading. */
export async function waitForIdle(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await expect(page.locator('.mantine-Skeleton-root, [aria-busy="true"]')).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** Elements that overflow the viewport. */
export function overflowingElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    const names = wide.slice(-5).map((element) => `${element.tagName}.${element.className}`);
    return [`${scrollWidth} px on a screen of ${clientWidth} px`, ...names];
  });
}

/** Waits for transitions: of colors, after the scheme has changed. Endless animations, such as spinners, go on. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A transition begins in the frame after its cause.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Serious and critical axe violations. */
export async function axeViolations(page: Page): Promise<string[]> {
  await waitForTransitions(page);
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    return (await checker.run(document, { resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .map((node) => node.html)
          .slice(0, 3)
          .join(' ')}`,
    );
}

/** All visible and accessible texts, once each. */
export function visibleTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      // Code elements contain names, not text.
      const shown =
        node.parentElement?.checkVisibility() && !node.parentElement.closest('script, style, code');
      // Language names are in their own language.
      if (shown && !node.parentElement?.closest('[lang]:not(html)'))
        found.add(node.textContent?.trim() ?? '');
    }
    for (const element of document.body.querySelectorAll('[aria-label], [placeholder], [title], [alt]')) {
      for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
        found.add(element.getAttribute(name)?.trim() ?? '');
      }
    }
    found.add(document.title);
    found.delete('');
    return [...found];
  });
}
