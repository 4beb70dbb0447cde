/** Test server: one portal, its users and their browser pages. */
import { expect, type BrowserContext, type BrowserContextOptions } from '@playwright/test';
import { Api, type Session } from './api';
import type { ContextPool } from './contextPool';
import { Person, Staff, Visitor } from './users';
import { password, type Portal } from './portal';

export interface NewPerson {
  first: string;
  last: string;
  name: string;
  email: string;
}

interface ClientWithOrder {
  client: { id: string; user_id: string; company_id: string };
  spv: { id: string; identifier: string; company_id: string };
}

let counter = 0;

export class TestServer {
  private readonly contexts: BrowserContext[] = [];
  private readonly people: Person[] = [];

  constructor(
    readonly portal: Portal,
    private readonly pool: ContextPool,
    /** One token request per account, cached as long as the portal runs. */
    private readonly sessions: Map<string, Promise<Session>>,
  ) {}

  employee(options?: BrowserContextOptions): Promise<Staff> {
    return this.staff('employee@example.com', options);
  }

  superAdmin(options?: BrowserContextOptions): Promise<Staff> {
    return this.staff('super@example.com', options);
  }

  client(options?: BrowserContextOptions): Promise<Person> {
    return this.person('client@example.com', options);
  }

  iso(options?: BrowserContextOptions): Promise<Person> {
    return this.person('iso@example.com', options);
  }

  companyAdmin(options?: BrowserContextOptions): Promise<Person> {
    return this.person('company@example.com', options);
  }

  /** URL and accessibility tree of every page, attached to failed tests. */
  async describePages(): Promise<string> {
    const pages = this.contexts.flatMap((context) => context.pages());
    const snapshots = pages.map(async (page) => {
      const snapshot = await page
        .locator('body')
        .ariaSnapshot({ timeout: 2000 })
        .catch(() => '(nothing)');
      return `${page.url()}\n${snapshot.split('\n').slice(0, 60).join('\n')}`;
    });
    return (await Promise.all(snapshots)).join('\n\n');
  }

  async visitor(options?: BrowserContextOptions): Promise<Visitor> {
    const page = await this.page(undefined, options);
    return this.welcome(new Visitor(page, new Api(this.portal.url)));
  }

  /** A staff page before sign-in. */
  async signedOutStaff(options?: BrowserContextOptions): Promise<Staff> {
    const page = await this.page(undefined, options);
    return this.welcome(new Staff(page, new Api(this.portal.url)));
  }

  /** Creates an employee with spvctl in an empty installation and sets the password. */
  async firstEmployee(first: string, last: string): Promise<Staff> {
    const who = this.newPerson(first, last);
    // The demo password is rejected for example.com addresses outside demo mode.
    const email = who.email.replace('@example.com', '@office.example');
    await this.portal.operator(
      ...['user', 'create', '--role', 'employee', '--email', email],
      ...['--first-name', first, '--last-name', last],
    );
    await this.setPassword(email);
    return this.staff(email);
  }

  async person(email: string, options?: BrowserContextOptions): Promise<Person> {
    const session = await this.session(email);
    return this.welcome(new Person(await this.page(session, options), new Api(this.portal.url, session)));
  }

  async staff(email: string, options?: BrowserContextOptions): Promise<Staff> {
    const session = await this.session(email);
    return this.welcome(new Staff(await this.page(session, options), new Api(this.portal.url, session)));
  }

  /** Super admin API for test setup. */
  async api(email = 'super@example.com'): Promise<Api> {
    return new Api(this.portal.url, await this.session(email));
  }

  /** A unique person. */
  newPerson(first: string, last: string): NewPerson {
    counter += 1;
    const email = `${first}.${last}.${counter}@example.com`.toLowerCase();
    return { first, last, name: `${first} ${last}`, email };
  }

  uniqueName(name: string): string {
    counter += 1;
    return `${name} ${counter}`;
  }

  async company(name = this.uniqueName('Harbor Capital')): Promise<{ id: string; name: string }> {
    return (await this.api()).post('/rest/v1/companies', { name, business_name: `${name} LLC` });
  }

  /** Creates a client with a first order; the account has no password yet. */
  async clientWithOrder(
    who: NewPerson,
    companyId?: string,
    isoId: string | null = null,
  ): Promise<ClientWithOrder> {
    const api = await this.api();
    return api.post<ClientWithOrder>('/rest/v1/clients', {
      setup: 'quick',
      first_name: who.first,
      last_name: who.last,
      email: who.email,
      company_id: companyId ?? (await this.company()).id,
      iso_id: isoId,
      price: '1250.00',
      ...(isoId && { commission: '50.00' }),
    });
  }

  /** Sets the demo password by the newest mailed link. */
  async setPassword(email: string, subject = 'Set your password'): Promise<void> {
    const mail = await this.portal.post.waitForMail(email, subject);
    const token_hash = new URL(mail.link('/auth/reset-password')).searchParams.get('token_hash');
    const anonymous = new Api(this.portal.url);
    const session = await anonymous.post<Session>('/auth/v1/verify', { type: 'recovery', token_hash });
    await new Api(this.portal.url, session).put('/auth/v1/user', { password });
  }

  private async session(email: string): Promise<Session> {
    const known = await this.sessions.get(email);
    // Of the 15 minutes of an access token the first 10 count as a recent proof; a test takes up to 3.
    if (known && known.expires_at * 1000 - Date.now() > 480_000) return known;
    const session = Api.signIn(this.portal.url, email, password);
    this.sessions.set(email, session);
    return session;
  }

  private async page(session: Session | undefined, options?: BrowserContextOptions) {
    const page = await this.pool.open(session, options);
    this.contexts.push(page.context());
    return page;
  }

  private welcome<Somebody extends Person>(somebody: Somebody): Somebody {
    this.people.push(somebody);
    return somebody;
  }

  /** Releases the contexts and expects no unexpected browser errors. */
  async close(): Promise<void> {
    for (const context of this.contexts) {
      // Polling requests may still be in flight.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await this.pool.release(context);
    }
    expect(this.people.flatMap((person) => person.unexpectedErrors)).toEqual([]);
  }
}
