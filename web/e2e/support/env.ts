/** Paths, credentials and settings of the test environment. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Headless shell: a third less CPU than headed Chromium. */
export const chromium = '/usr/bin/chromium-headless-shell';
/** Playwright cannot drive Debian's Firefox; puppeteer does, over WebDriver BiDi. */
export const firefox = '/usr/bin/firefox-esr';
/** Password of every demo account. */
export const password = 'portal-demo-2026';
/** Python with aiosmtpd, found by the same search as `make test`; empty if there is none. */
export const python = interpreter();
/** Built by the Rust tests; a debug build serves the web app from `webApp`. */
export const spvctl =
  process.env.STORY_SPVCTL ?? root(`${process.env.CARGO_TARGET_DIR ?? 'target'}/debug/spvctl`);
export const webApp = root('web/dist/index.html');
export const support = root('web/e2e/support');
export const catalogues = root('domain/messages');
export const webMessages = root('web/src/messages');

export type Database = 'sqlite' | 'postgres';

export function database(): Database {
  const chosen = process.env.STORY_DATABASE ?? 'sqlite';
  if (chosen === 'sqlite' || chosen === 'postgres') return chosen;
  throw new Error(`STORY_DATABASE is ${chosen}: it has to be sqlite or postgres.`);
}

function interpreter(): string {
  try {
    return execFileSync('sh', [root('scripts/python.sh')], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
