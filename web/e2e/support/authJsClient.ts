/** auth-js in a browser page, bundled from npm, and the token responses of the app. */
import { fileURLToPath } from 'node:url';
import type { JSHandle, Page, Response } from '@playwright/test';
import type * as AuthJs from '@supabase/auth-js';

/** Runs an action that requests tokens; returns the token response. */
export async function tokenResponse(
  page: Page,
  grant: 'pkce' | 'refresh_token',
  something: () => Promise<void>,
): Promise<{ status: number; code?: string }> {
  const asked = (response: Response) => response.url().includes(`/token?grant_type=${grant}`);
  const [answer] = await Promise.all([page.waitForResponse(asked), something()]);
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status(), code };
}

const ENTRY = '../../node_modules/@supabase/auth-js/dist/module/index.js';
let script: Promise<string> | undefined;

interface InPage {
  AuthJs: typeof AuthJs;
  waits: (string | null)[];
}

/** An auth client in the page, independent of the app. */
export async function createAuthClient(
  page: Page,
  detectSessionInUrl = false,
  flowType: 'implicit' | 'pkce' = 'implicit',
): Promise<JSHandle<AuthJs.GoTrueClient>> {
  script ??= bundleAuthJs();
  await page.evaluate(await script);
  const options = { detectSessionInUrl, flowType };
  return page.evaluateHandle((options) => {
    const here = globalThis as unknown as InPage;
    here.waits = [];
    return new here.AuthJs.AuthClient({
      url: `${location.origin}/auth/v1`,
      storageKey: 'npm-client',
      autoRefreshToken: false,
      ...options,
      experimental: { recoveryCodes: true },
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (answer.status === 429) here.waits.push(answer.headers.get('retry-after'));
        return answer;
      },
    });
  }, options);
}

/** Retry-After values that the client in the page received. */
export function retryAfterValues(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => (globalThis as unknown as InPage).waits);
}

/** Bundles auth-js in memory: its module specifiers need a bundler. */
async function bundleAuthJs(): Promise<string> {
  const { build } = await import('vite');
  const entry = fileURLToPath(new URL(ENTRY, import.meta.url));
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['iife'], name: 'AuthJs', fileName: 'auth-js' },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !('output' in result)) throw new Error('The client from npm was not bundled');
  return `(() => {\n${result.output[0].code}\nglobalThis.AuthJs = AuthJs;\n})()`;
}
