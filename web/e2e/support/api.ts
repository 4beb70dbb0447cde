/** API client of one signed-in user. */
import { randomUUID } from 'node:crypto';
import { recordSecretsIn, secretFieldNames } from './secretScan';

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`${status}: ${body}`);
  }
}

export interface Session {
  access_token: string;
  /** Seconds since 1970. */
  expires_at: number;
  user: { id: string };
}

export class Api {
  constructor(
    private readonly url: string,
    readonly session?: Session,
  ) {}

  static async signIn(url: string, email: string, password: string): Promise<Session> {
    return new Api(url).post<Session>('/auth/v1/token?grant_type=password', { email, password });
  }

  /** The same user with the session of a token response. */
  async asSession(path: string, body: object): Promise<Api> {
    return new Api(this.url, await this.post<Session>(path, body));
  }

  get<Body>(path: string): Promise<Body> {
    return this.call<Body>('GET', path);
  }
  post<Body>(path: string, body: object = {}): Promise<Body> {
    return this.call<Body>('POST', path, body);
  }
  put<Body>(path: string, body: object): Promise<Body> {
    return this.call<Body>('PUT', path, body);
  }
  patch<Body>(path: string, body: object): Promise<Body> {
    return this.call<Body>('PATCH', path, body);
  }

  /** Content of a file. */
  async bytes(path: string): Promise<Buffer> {
    const response = await fetch(this.url + path, {
      headers: { ...(this.session && { authorization: `Bearer ${this.session.access_token}` }) },
    });
    if (!response.ok) throw new Refused(response.status, await response.text());
    return Buffer.from(await response.arrayBuffer());
  }

  private async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.session && { authorization: `Bearer ${this.session.access_token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        // Any version of the row.
        ...(method !== 'GET' && { 'if-match': '*' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const under = secretFieldNames(path);
    if (under) {
      recordSecretsIn(JSON.stringify(body ?? {}), under);
      // `code` of an error response is no secret.
      if (response.ok) recordSecretsIn(text, under);
    }
    if (!response.ok) throw new Refused(response.status, text);
    return (text ? JSON.parse(text) : undefined) as Body;
  }
}
