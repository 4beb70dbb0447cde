/** OpenID provider on loopback and a minimal browser that signs in with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { support } from '../../../e2e/support/env';
import { stop } from '../../../e2e/support/process';
import { uniqueAddress } from './server';

/** What the user does at the provider. */
export interface ProviderAction {
  email?: string;
  refuses?: boolean;
  /** The provider does not vouch for the email. */
  unverified?: boolean;
}

export class Provider {
  private constructor(
    readonly issuer: string,
    private readonly process: ChildProcess,
  ) {}

  /** `callback` is the allowed redirect URI. */
  static async start(callback: string): Promise<Provider> {
    const args = [join(support, 'openid.mjs'), `google=${callback}`, `azure=${callback}`];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout });
    const [issuer] = (await once(lines, 'line')) as [string];
    return new Provider(issuer, child);
  }

  /** Settings of a portal that knows it as both providers. */
  get settings(): NodeJS.ProcessEnv {
    const names = { GOOGLE: 'google', MICROSOFT: 'azure' };
    return Object.fromEntries(
      Object.entries(names).flatMap(([name, client]) => [
        [`SPV_OIDC_${name}_CLIENT_ID`, client],
        [`SPV_OIDC_${name}_CLIENT_SECRET`, 'a-secret-that-only-the-tests-know'],
        [`SPV_OIDC_${name}_ISSUER`, this.issuer],
      ]),
    );
  }

  async stop(): Promise<void> {
    await stop(this.process);
  }

  /** Follows redirects through the provider; returns the first URL outside of provider and auth API. */
  async visit(start: string, portal: string, action: ProviderAction): Promise<URL> {
    const jar = new Map<string, string>();
    let next = new URL(start);
    for (let steps = 0; steps < 20; steps += 1) {
      const at = next.origin === this.issuer;
      if (!at && !next.href.startsWith(`${portal}/auth/v1/`)) return next;
      const form = at && next.pathname.startsWith('/interaction/');
      const response = await fetch(next, {
        redirect: 'manual',
        headers: {
          'x-forwarded-for': uniqueAddress(),
          ...(at && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        },
        ...(form && { method: 'POST', body: formBody(action) }),
      });
      if (at) {
        for (const cookie of response.headers.getSetCookie()) {
          const [name, value] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
          jar.set(name ?? '', value ?? '');
        }
      }
      const to = response.headers.get('location');
      if (!to) throw new Error(`${next.href} was answered ${response.status}: ${await response.text()}`);
      next = new URL(to, next);
      if (action.email && next.pathname === '/auth/v1/callback') this.callback = next.href;
    }
    throw new Error(`${start} leads nowhere`);
  }

  /** Email of the user behind a provider token. */
  async emailOfToken(token: string | null | undefined): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${this.issuer}/me`, { headers });
    return ((await response.json()) as { email?: string }).email;
  }

  /** The last callback URL, as in the history of a browser. */
  callback = '';
}

function formBody({ email, refuses, unverified }: ProviderAction): URLSearchParams {
  return new URLSearchParams({
    decision: refuses ? 'deny' : 'allow',
    ...(email && { email }),
    ...(unverified && { unverified: '1' }),
  });
}
