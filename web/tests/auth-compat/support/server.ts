/** Test server of one test file and the auth clients that sign in to it. */
import { createHmac, randomBytes } from 'node:crypto';
import { AuthClient, type AuthChangeEvent, type Session, type User } from '@supabase/auth-js';
import { afterAll, beforeAll } from 'vitest';
import type { Mail } from '../../../e2e/support/smtpServer';
import { Portal } from '../../../e2e/support/portal';
import { totp } from '../../../e2e/support/totp';

export const password = 'lantern-orbit-meadow-41';
const secret = randomBytes(32).toString('hex');
/** Allowed external redirect URL. */
export const EXTERNAL_URL = 'http://127.0.0.1:4100/welcome';

/** A user account. */
export interface TestUser {
  id: string;
  email: string;
}

/** auth-js client that records its auth events. */
export class Client extends AuthClient {
  readonly events: AuthChangeEvent[] = [];

  constructor(
    options: ConstructorParameters<typeof AuthClient>[0],
    /** Requests sent by the client. */
    readonly requests: string[],
  ) {
    super(options);
  }

  /** Signs in and returns the session. */
  async signIn(email: string, with_ = password): Promise<Session> {
    return unwrap(await this.signInWithPassword({ email, password: with_ })).session;
  }

  async signOutOrThrow(scope: 'global' | 'local' | 'others' = 'global'): Promise<void> {
    const { error } = await this.signOut({ scope });
    if (error) throw error;
  }

  /** Whether the server ended the session and the client dropped it. */
  async isSessionEnded(): Promise<boolean> {
    const { error } = await this.getUser();
    return error?.name === 'AuthSessionMissingError' && (await this.session()) === null;
  }

  async session(): Promise<Session | null> {
    return (await this.getSession()).data.session;
  }

  async requireSession(): Promise<Session> {
    const session = await this.session();
    if (!session) throw new Error('nobody is signed in');
    return session;
  }
}

export interface RequestOptions {
  method?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Requests the older error shape. */
  older?: boolean;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

let counter = 0;

export class TestServer {
  constructor(private readonly started: () => Portal) {}

  get portal(): Portal {
    return this.started();
  }

  get url(): string {
    return `${this.portal.url}/auth/v1`;
  }

  /** A client with its own address, because limits count per address. */
  client(options: { flowType?: 'implicit' | 'pkce'; headers?: Record<string, string> } = {}): Client {
    counter += 1;
    const requests: string[] = [];
    const client = new Client(
      {
        url: this.url,
        storageKey: `client-${counter}`,
        autoRefreshToken: false,
        detectSessionInUrl: false,
        flowType: options.flowType ?? 'implicit',
        experimental: { recoveryCodes: true },
        headers: { 'x-forwarded-for': uniqueAddress(), ...options.headers },
        fetch: (input, init) => {
          const { pathname } = new URL(input instanceof Request ? input.url : input);
          requests.push(`${init?.method ?? 'GET'} ${pathname.replace('/auth/v1', '')}`);
          return fetch(input, init);
        },
      },
      requests,
    );
    client.onAuthStateChange((event) => void client.events.push(event));
    return client;
  }

  /** A service token client. */
  get program(): Client {
    return this.client({ headers: { Authorization: `Bearer ${signJwt({ role: 'service_role' })}` } });
  }

  /** A unique email. */
  address(name = 'person'): string {
    counter += 1;
    return `${name}.${counter}@example.com`;
  }

  /** Creates a confirmed account with the password above. */
  async createUser(more: object = {}): Promise<TestUser> {
    const email = this.address();
    const attributes = { email, password, email_confirm: true, ...more };
    const { user } = unwrap(await this.program.admin.createUser(attributes));
    return { id: user.id, email };
  }

  /** A new user, signed in. */
  async signedInUser(): Promise<{ who: TestUser; client: Client; session: Session }> {
    const who = await this.createUser();
    const client = this.client();
    return { who, client, session: await client.signIn(who.email) };
  }

  mail(to: string, subject = ''): Promise<Mail> {
    return this.portal.post.waitForMail(to, subject, subject ? undefined : isOfProtocol);
  }

  async mails(to: string): Promise<Mail[]> {
    return (await this.portal.post.mails()).filter((mail) => mail.to.includes(to) && isOfProtocol(mail));
  }

  /** Sends a raw HTTP request. */
  async ask(
    path: string,
    { method, token, body, headers, older }: RequestOptions = {},
  ): Promise<HttpResponse> {
    const response = await fetch(path.startsWith('http') ? path : this.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        'x-forwarded-for': uniqueAddress(),
        ...(!older && { 'x-supabase-api-version': '2024-01-01' }),
        ...(body !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text ? JSON.parse(text) : {},
    };
  }

  /** Verifies the link of another program as our page does; returns its redirect target. */
  async followLink(mail: Mail): Promise<URL> {
    const { token_hash, type } = linkParams(mail);
    const redirect_to = linkQuery(mail).get('redirect_to');
    const body = { type, token_hash, redirect_to, skip_http_redirect: true };
    const response = await this.ask('/verify', { body });
    if (response.status !== 200)
      throw new Error(`the click was answered ${response.status}: ${response.text}`);
    return new URL(String(response.body.url));
  }
}

/** Starts a portal before the tests of a file and stops it after them. */
export function startServer(more: NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>) = {}): TestServer {
  let portal: Portal | undefined;
  beforeAll(async () => {
    const settings = {
      SPV_AUTH_JWT_SECRET: secret,
      SPV_TRUSTED_PROXIES: '127.0.0.0/8',
      SPV_AUTH_REQUIRE_MFA: 'employee,super_admin',
      SPV_AUTH_RATE_LIMITS: 'true',
      // The client's own expectation.
      SPV_AUTH_OTP_ALIKE: 'false',
    };
    const env = typeof more === 'function' ? await more() : more;
    portal = await Portal.start({ demo: false, env: { ...settings, ...env } });
  });
  afterAll(() => portal?.stop());
  return new TestServer(() => {
    if (!portal) throw new Error('the portal is not there yet');
    return portal;
  });
}

/** The data of a successful result; throws its error. */
export function unwrap<Result extends { data: unknown; error: unknown }>(
  result: Result,
): SuccessData<Result> {
  if (result.error) throw result.error;
  return result.data as SuccessData<Result>;
}
type SuccessData<Result> = Result extends { data: infer Data; error: null } ? Data : never;

/** Status and code of an error, for assertions. */
export function errorOf(result: { error: { status?: number; code?: string } | null }) {
  const { status, code } = result.error ?? {};
  return { status, code };
}

export const errorWith = (status: number, code: string) => ({ status, code });

/** A unique address of the benchmark network 198.18.0.0/15. */
export function uniqueAddress(): string {
  counter += 1;
  return `198.18.${(counter >> 8) & 255}.${counter & 255}`;
}

/** Current TOTP code, or the next one: the server accepts both, each once. */
export function currentCode(secret: string, later: 0 | 1 = 0): string {
  return totp(secret, Date.now() + later * 30_000);
}

/** A JWT signed with the shared secret. */
export function signJwt(claims: object, with_ = secret): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHmac('sha256', with_).update(body).digest('base64url')}`;
}

/** Claims of an access token. */
export function jwtClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

export function jwtHeader(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

/** `amr` methods of an access token, newest first. */
export function amrMethods(token: string): string[] {
  return (jwtClaims(token).amr as { method: string }[]).map(({ method }) => method);
}

/** Of the auth protocol: with a link or a code, unlike the news of changes to the account. */
const isOfProtocol = ({ text }: Mail) => text.includes('token_hash=') || /^\s*\d{6}\s*$/m.test(text);

function linkQuery(mail: Mail): URLSearchParams {
  const found = mail.text.match(/https?:\/\/\S+/g)?.find((link) => link.includes('token_hash='));
  if (!found) throw new Error(`The mail “${mail.subject}” has no link:\n${mail.text}`);
  return new URL(found).searchParams;
}

/** Query parameters of the link in a mail. */
export function linkParams(mail: Mail): { token_hash: string; type: LinkType } {
  const query = linkQuery(mail);
  return { token_hash: query.get('token_hash') ?? '', type: query.get('type') as LinkType };
}
export type LinkType = 'recovery' | 'invite' | 'signup' | 'magiclink' | 'email_change' | 'email';

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export type { Session, User };
