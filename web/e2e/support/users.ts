/** The people of the stories. What they do, they do by role and label, as someone reads the screen aloud. */
import { expect, type Locator, type Page, type Response } from '@playwright/test';
import type { Api } from './api';

type Fields = Record<string, string>;

export class Person {
  /** What the browser complained of that no story asked for. */
  readonly unexpectedErrors: string[] = [];
  private readonly allowedErrors: RegExp[] = [];
  private readonly seenToasts = new Set<string>();

  constructor(
    readonly page: Page,
    /** The same person at the API: for what a story only needs to be there, and for what must be true. */
    readonly api: Api,
  ) {
    page.on('pageerror', (error) => this.unexpectedErrors.push(`error on the page: ${error.message}`));
    page.on('console', (message) => {
      // A refusal is logged as a failed load by the browser itself; 5xx answers are heard below.
      const refusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
      if (message.type() !== 'error' || refusal) return;
      if (this.allowedErrors.some((words) => words.test(message.text()))) return;
      this.unexpectedErrors.push(`console: ${message.text()} (${page.url()})`);
    });
    page.on('response', (response) => {
      const words = `${response.status()} from ${response.url()}`;
      if (response.status() >= 500 && !this.allowedErrors.some((one) => one.test(words)))
        this.unexpectedErrors.push(words);
    });
  }

  /** Says that this is meant to be logged in the story. */
  allowError(words: RegExp): void {
    this.allowedErrors.push(words);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path);
  }

  async expectPath(path: string | RegExp): Promise<void> {
    await expect(this.page).toHaveURL(
      typeof path === 'string' ? (url) => url.pathname + url.search === path : path,
    );
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name, exact: typeof name === 'string' });
  }

  button(name: string, within: Page | Locator = this.page): Locator {
    return within.getByRole('button', { name, exact: true });
  }

  link(name: string, within: Page | Locator = this.page): Locator {
    return within.getByRole('link', { name, exact: true });
  }

  /** The number or amount on the card of this name. */
  card(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name, exact: true });
  }

  row(words: string | RegExp, table?: string): Locator {
    return this.page
      .getByRole('table', table ? { name: table, exact: true } : {})
      .getByRole('row')
      .filter({ hasText: words });
  }

  /** A field of a form by its label, whatever kind it is. */
  field(label: string, within: Page | Locator = this.page): Locator {
    const named = { name: label, exact: true };
    return within
      .getByRole('textbox', named)
      .or(within.getByRole('combobox', named))
      .or(within.getByRole('button', named));
  }

  /** Fills in fields of a form by their labels. */
  async fill(fields: Fields, within: Page | Locator = this.page): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      await within.getByRole('textbox', { name: label, exact: true }).fill(text);
    }
  }

  /** Chooses from a short list. */
  async choose(label: string, option: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('button', { name: label, exact: true }).click();
    await this.clickOption(this.page.getByRole('option', { name: option, exact: true }));
  }

  /** Finds one out of many by typing. */
  async pickFromSearch(label: string, words: string, within: Page | Locator = this.page): Promise<void> {
    const field = within.getByRole('combobox', { name: label, exact: true });
    await field.fill(words);
    // The answer moves what is offered: under a click that has begun, it would take nothing.
    await expect(field).not.toHaveAttribute('aria-busy', 'true');
    await this.clickOption(this.page.getByRole('option', { name: words }));
  }

  /** A list closes when something is taken from it. */
  private async clickOption(option: Locator): Promise<void> {
    await option.click();
    await expect(option).toBeHidden();
  }

  /** The message beside the field of this label. */
  async expectFieldError(label: string, message: string, within: Page | Locator = this.page): Promise<void> {
    await expect(this.field(label, within)).toHaveAccessibleDescription(new RegExp(escapeRegExp(message)));
    await expect(within.getByText(message, { exact: true }).first()).toBeVisible();
  }

  /** A toast with exactly these words that was not told of before. `alert`: read out at once, something went wrong. */
  private async toast(role: 'status' | 'alert', title: string, text?: string | RegExp): Promise<void> {
    const toasts = this.page
      .getByRole('region', { name: /^(Notifications|Notificaciones)$/ })
      .getByRole(role)
      .filter({ visible: true });
    const wanted = text instanceof RegExp ? expect.stringMatching(text) : text;
    let shown: { id: string; words: string[] }[] = [];
    const readNewToasts = async () => {
      shown = (await toasts.evaluateAll(readToasts)).filter(({ id }) => !this.seenToasts.has(id));
      return shown.map(({ words }) => (text === undefined ? words.slice(0, 1) : words));
    };
    const words = text === undefined ? [title] : [title, wanted];
    await expect.poll(readNewToasts, { message: `a toast “${title}”`, intervals: [100] }).toContainEqual(words);
    for (const { id } of shown) this.seenToasts.add(id);
  }

  expectToast(title: string, text?: string | RegExp): Promise<void> {
    return this.toast('status', title, text);
  }

  expectErrorToast(title: string, text?: string | RegExp): Promise<void> {
    return this.toast('alert', title, text);
  }

  async search(label: string, words: string): Promise<void> {
    // Whoever goes on before the answer is there picks from rows that are about to go. None is asked for what is known.
    const isSearchResponse = (response: Response) => new URL(response.url()).searchParams.get('q') === words;
    const answered = this.page.waitForResponse(isSearchResponse, { timeout: 3000 }).catch(() => null);
    await this.page.getByRole('searchbox', { name: label, exact: true }).fill(words);
    await expect(this.page).toHaveURL((url) => url.searchParams.get('q') === words);
    await answered;
    await expect(this.page.locator('table[aria-busy="true"]')).toHaveCount(0);
  }

  /** Opens the menu of a row, or of whatever has this name, and picks from it. */
  async chooseRowAction(action: string, name: string): Promise<void> {
    await this.button(`Actions for ${name}`).click();
    await this.page.getByRole('menuitem', { name: action, exact: true }).click();
  }

  async logOut(): Promise<void> {
    await this.page.getByRole('button', { name: /^Account menu of/ }).click();
    await this.page.getByRole('menuitem', { name: 'Logout', exact: true }).click();
  }

  /** Does something, and is sure that the page was not loaded anew meanwhile. */
  async withoutReload(something: () => Promise<void>): Promise<void> {
    const born = () => this.page.evaluate(() => performance.timeOrigin);
    const before = await born();
    await something();
    expect(await born(), 'the page was not loaded anew').toBe(before);
  }
}

/** Somebody without a session. */
export class Visitor extends Person {
  async signIn(portal: string, email: string, password: string): Promise<void> {
    await this.open(`/auth/login/${portal}`);
    await this.submitSignIn(email, password);
  }

  async submitSignIn(email: string, password: string): Promise<void> {
    await this.fill({ Email: email, Password: password });
    await this.button('Sign In').click();
  }
}

/** An employee or super admin in the employee portal. */
export class Staff extends Person {
  async openTab(tab: 'Clients' | 'Companies' | 'ISOs' | 'SPVs'): Promise<void> {
    await this.page.getByRole('tab', { name: tab, exact: true }).click();
  }

  /** Opens the list of orders with one of them chosen. */
  async openOrder(id: string): Promise<void> {
    await this.open(`/employee-dashboard?tab=spvs&spv=${id}`);
    await expect(this.steps()).toBeVisible();
  }

  order(identifier: string): Locator {
    return this.page
      .getByRole('region', { name: 'SPV orders', exact: true })
      .getByRole('button')
      .filter({ hasText: identifier });
  }

  steps(): Locator {
    return this.page.getByRole('list', { name: 'Steps', exact: true });
  }

  step(name: string): Locator {
    return this.steps()
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** Moves a step in its dialog, and leaves the outcome to the story. */
  async setStepStatus(name: string, status: string, more: Fields = {}): Promise<void> {
    await this.button(`Edit ${name}`).click();
    const dialog = this.dialog('Edit SPV Step');
    await this.choose('Status', status, dialog);
    await this.fill(more, dialog);
    await this.button('Save', dialog).click();
  }
}

/** Runs in the page: the lines of each toast, without the words of its button. */
function readToasts(toasts: Element[]): { id: string; words: string[] }[] {
  return toasts.map((toast) => {
    const texts = document.createTreeWalker(toast, NodeFilter.SHOW_TEXT);
    const words: string[] = [];
    while (texts.nextNode()) words.push(texts.currentNode.textContent?.trim() ?? '');
    return { id: toast.id, words: words.filter(Boolean) };
  });
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
