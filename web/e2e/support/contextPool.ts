/** Pool of browser contexts of one portal: a reused context keeps its HTTP cache and its compiled scripts. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import type { Session } from './api';
import { recordTraffic } from './secretScan';

/** Marks pages of the pool whose session is stored already. */
const SEEDED_KEY = 'e2e-session';

export class ContextPool {
  private readonly idle: BrowserContext[] = [];
  /** Options of each context. */
  private readonly made = new WeakMap<BrowserContext, string>();
  /** Contexts that cannot be reused: faked clock or own storage state. */
  private readonly unique = new WeakSet<BrowserContext>();

  private readonly origin: string;
  /** Key of the stored session; see src/api/sessionStorage.ts. */
  private readonly sessionKey: string;

  constructor(
    private readonly browser: Browser,
    portal: string,
  ) {
    const { origin, pathname } = new URL(portal);
    this.origin = origin;
    this.sessionKey = `spv-auth-token${pathname.replace(/\/$/, '')}`;
  }

  /** A page in a context without storage and cookies; `session` is stored before its first document runs. */
  async open(session?: Session, options: BrowserContextOptions = {}): Promise<Page> {
    const key = JSON.stringify(options);
    const found = this.idle.findIndex((context) => this.made.get(context) === key);
    const [reused] = found < 0 ? [] : this.idle.splice(found, 1);
    const context = reused ?? (await this.create(options, key));
    const page = await context.newPage();
    if (reused) await this.clear(page);
    if (session) {
      await page.addInitScript(storeSession, {
        ...{
          origin: this.origin,
          seeded: SEEDED_KEY,
          name: this.sessionKey,
          value: JSON.stringify(session),
        },
      });
    }
    return page;
  }

  /** Takes a context back; one whose state cannot be reset is closed. */
  async release(context: BrowserContext): Promise<void> {
    if (this.unique.has(context)) return context.close();
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    for (const page of context.pages()) await page.close();
    this.idle.push(context);
  }

  async close(): Promise<void> {
    for (const context of this.idle.splice(0)) await context.close();
  }

  private async create(options: BrowserContextOptions, key: string): Promise<BrowserContext> {
    const context = await this.browser.newContext({ baseURL: this.origin, ...options });
    this.made.set(context, key);
    if (options.storageState) this.unique.add(context);
    recordTraffic(context);
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
      ),
    );
    const install = context.clock.install.bind(context.clock);
    context.clock.install = (time) => {
      this.unique.add(context);
      return install(time);
    };
    return context;
  }

  /** Clears everything but the HTTP cache; no page of the context is open. */
  private async clear(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: this.origin, storageTypes: 'all' });
    await devtools.detach();
    await page.context().clearCookies();
  }
}

/** Runs once per tab before the scripts of the page, so that an ended session stays ended. */
function storeSession(session: { origin: string; seeded: string; name: string; value: string }): void {
  if (location.origin !== session.origin || sessionStorage.getItem(session.seeded)) return;
  sessionStorage.setItem(session.seeded, 'yes');
  localStorage.setItem(session.name, session.value);
}
