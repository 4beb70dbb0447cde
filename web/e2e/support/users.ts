/** Page objects of users: actions by role and label, as assistive technology sees them. */
import { expect, type Locator, type Page, type Response } from '@playwright/test';
import type { Api } from './api';

type Fields = Record<string, string>;

export class Person {
  /** Browser errors that the test did not allow. */
  readonly unexpectedErrors: string[] = [];
  private readonly allowedErrors: RegExp[] = [];
  private readonly seenToasts = new Set<string>();

  constructor(
    readonly page: Page,
    /** API of the same user, for setup and assertions. */
    readonly api: Api,
  ) {
    page.on('pageerror', (error) => this.unexpectedErrors.push(`error on the page: ${error.message}`));
    page.on('console', (message) => {
      // The browser logs 4xx as a failed load; 5xx are recorded below.
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

  /** Allows console errors matching `words`. */
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

  /** The card with this name. */
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

  /** A form field by label, of any kind. */
  field(label: string, within: Page | Locator = this.page): Locator {
    const named = { name: label, exact: true };
    return within
      .getByRole('textbox', named)
      .or(within.getByRole('combobox', named))
      .or(within.getByRole('button', named));
  }

  /** Fills text fields by label. */
  async fillFields(fields: Fields, within: Page | Locator = this.page): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      await within.getByRole('textbox', { name: label, exact: true }).fill(text);
    }
  }

  /** Chooses from a select. */
  async choose(label: string, option: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('button', { name: label, exact: true }).click();
    await this.clickOption(this.page.getByRole('option', { name: option, exact: true }));
  }

  /** Shows the table of a chart instead of the drawing. */
  async showTable(name: string): Promise<void> {
    const choice = this.page.getByRole('radiogroup', { name: `${name}: chart or table`, exact: true });
    await choice.getByText('Table', { exact: true }).click();
    await expect(choice.getByRole('radio', { name: 'Table' })).toBeChecked();
  }

  /** Searches a combobox and picks the match. */
  async pickFromSearch(label: string, words: string, within: Page | Locator = this.page): Promise<void> {
    const field = within.getByRole('combobox', { name: label, exact: true });
    await field.fill(words);
    // The response replaces the options, so a click before it could miss.
    await expect(field).not.toHaveAttribute('aria-busy', 'true');
    await this.clickOption(this.page.getByRole('option', { name: words }));
  }

  /** The list closes when an option is clicked. */
  private async clickOption(option: Locator): Promise<void> {
    await option.click();
    await expect(option).toBeHidden();
  }

  /** Expects a validation error at a field. */
  async expectFieldError(label: string, message: string, within: Page | Locator = this.page): Promise<void> {
    await expect(this.field(label, within)).toHaveAccessibleDescription(new RegExp(escapeRegExp(message)));
    await expect(within.getByText(message, { exact: true }).first()).toBeVisible();
  }

  /** Expects a new toast with exactly this text. `alert` is read out at once (errors). */
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
    await expect
      .poll(readNewToasts, { message: `a toast “${title}”`, intervals: [100] })
      .toContainEqual(words);
    for (const { id } of shown) this.seenToasts.add(id);
  }

  expectToast(title: string, text?: string | RegExp): Promise<void> {
    return this.toast('status', title, text);
  }

  expectErrorToast(title: string, text?: string | RegExp): Promise<void> {
    return this.toast('alert', title, text);
  }

  async search(label: string, words: string): Promise<void> {
    // Rows are replaced by the response, so wait for it. A cached search sends no request.
    const isSearchResponse = (response: Response) => new URL(response.url()).searchParams.get('q') === words;
    const answered = this.page.waitForResponse(isSearchResponse, { timeout: 3000 }).catch(() => null);
    await this.page.getByRole('searchbox', { name: label, exact: true }).fill(words);
    await expect(this.page).toHaveURL((url) => url.searchParams.get('q') === words);
    await answered;
    await expect(this.page.locator('table[aria-busy="true"]')).toHaveCount(0);
  }

  /** Narrows a list by one of its filters. */
  async filterBy(label: string, choice: string): Promise<void> {
    const filters = this.page.getByRole('group', { name: 'Filters', exact: true });
    const chip = filters.getByRole('button', { name: new RegExp(`^${escapeRegExp(label)} is `) });
    if (await chip.isVisible()) await chip.click();
    else {
      await filters.getByRole('button', { name: 'Filter', exact: true }).click();
      await this.page.getByRole('menuitem', { name: label, exact: true }).click();
    }
    // Named by its button, whose name has the current choice.
    const choices = this.page.getByRole('dialog', { name: new RegExp(`^${escapeRegExp(label)}`) });
    await choices.getByRole('button', { name: choice, exact: true }).click();
    await expect(filters.getByRole('button', { name: `${label} is ${choice}`, exact: true })).toBeVisible();
    await expect(this.page.locator('table[aria-busy="true"]')).toHaveCount(0);
  }

  /** Opens the action menu of a row and chooses an item. */
  async chooseRowAction(action: string, name: string): Promise<void> {
    await this.button(`Actions for ${name}`).click();
    await this.page.getByRole('menuitem', { name: action, exact: true }).click();
  }

  async logOut(): Promise<void> {
    await this.page.getByRole('button', { name: /^Account menu of/ }).click();
    await this.page.getByRole('menuitem', { name: 'Logout', exact: true }).click();
  }

  /** Runs an action and expects no page reload. */
  async withoutReload(something: () => Promise<void>): Promise<void> {
    const born = () => this.page.evaluate(() => performance.timeOrigin);
    const before = await born();
    await something();
    expect(await born(), 'the page was not loaded anew').toBe(before);
  }
}

/** A user without a session. */
export class Visitor extends Person {
  async signIn(portal: string, email: string, password: string): Promise<void> {
    await this.open(`/auth/login/${portal}`);
    await this.submitSignIn(email, password);
  }

  async submitSignIn(email: string, password: string): Promise<void> {
    await this.fillFields({ Email: email, Password: password });
    await this.button('Sign in').click();
  }
}

/** An employee or super admin in the employee portal. */
export class Staff extends Person {
  async openTab(tab: 'Clients' | 'Companies' | 'ISOs' | 'SPVs'): Promise<void> {
    await this.page.getByRole('tab', { name: tab, exact: true }).click();
  }

  /** Opens the order list with one order selected. */
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

  /** Chooses a transition from the status menu of an order. */
  async chooseOrderAction(action: string, identifier: string): Promise<void> {
    await this.page
      .getByRole('button', { name: new RegExp(`^Status of ${escapeRegExp(identifier)}:`) })
      .click();
    await this.page.getByRole('menuitem', { name: action, exact: true }).click();
  }

  /** Chooses a status from the menu of a step. */
  async chooseStepStatus(name: string, status: string): Promise<void> {
    await this.page.getByRole('button', { name: new RegExp(`^Status of ${escapeRegExp(name)}:`) }).click();
    await this.page.getByRole('menuitem', { name: status, exact: true }).click();
  }

  /** Sets the status in the step dialog; the test checks the result. */
  async setStepStatus(name: string, status: string, more: Fields = {}): Promise<void> {
    await this.button(`Edit ${name}`).click();
    const dialog = this.dialog('Edit SPV Step');
    await this.choose('Status', status, dialog);
    await this.fillFields(more, dialog);
    await this.button('Save', dialog).click();
  }
}

/** Runs in the page: text lines of each toast without its button. */
function readToasts(toasts: Element[]): { id: string; words: string[] }[] {
  return toasts.map((toast) => {
    const texts = document.createTreeWalker(toast, NodeFilter.SHOW_TEXT, (text) =>
      text.parentElement?.closest('button') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    const words: string[] = [];
    while (texts.nextNode()) words.push(texts.currentNode.textContent?.trim() ?? '');
    return { id: toast.id, words: words.filter(Boolean) };
  });
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
