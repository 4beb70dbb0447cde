/** OpenID provider playing Google and Microsoft, in its own process. */
import { expect, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { support } from './env';
import { stop } from './process';

export class Provider {
  private constructor(
    readonly issuer: string,
    private readonly server: ChildProcess,
  ) {}

  static async start(): Promise<Provider> {
    const server = spawn('node', [join(support, 'openid.mjs'), 'google', 'azure'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    for await (const line of createInterface(server.stdout)) {
      if (line.startsWith('http://')) {
        // Drained, or its pipe would fill.
        server.stdout.resume();
        return new Provider(line, server);
      }
    }
    const [code] = (await once(server, 'close')) as [number | null];
    throw new Error(`The provider ended with ${code}`);
  }

  /** Operator settings for this provider. */
  get settings(): NodeJS.ProcessEnv {
    const one = (name: string, client: string) => ({
      [`SPV_OIDC_${name}_CLIENT_ID`]: client,
      [`SPV_OIDC_${name}_CLIENT_SECRET`]: 'a-secret-that-only-the-tests-know',
      [`SPV_OIDC_${name}_ISSUER`]: this.issuer,
    });
    return { ...one('GOOGLE', 'google'), ...one('MICROSOFT', 'azure') };
  }

  /** Signs in with this email on the page of the provider. */
  async signInAs(page: Page, email: string): Promise<void> {
    await expect(page.getByRole('heading', { name: 'Test provider' })).toBeVisible();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async refuses(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Refuse' }).click();
  }

  async stop(): Promise<void> {
    await stop(this.server);
  }
}
