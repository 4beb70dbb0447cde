/** Portal process: the real binary with its own database and SMTP server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { database, password, python, spvctl, support } from './env';
import { TestEnvironment } from './testEnvironment';
import { SmtpServer } from './smtpServer';
import { run, stop, type ProcessResult } from './process';
import { recordSecret, openLogFile } from './secretScan';

export { password } from './env';

/** Result of an spvctl command. */
export class CommandResult {
  constructor(readonly outcome: ProcessResult) {}

  get code() {
    return this.outcome.code;
  }
  get words() {
    return this.outcome.stderr + this.outcome.stdout;
  }
  data<Data>(): Data {
    return JSON.parse(this.outcome.stdout) as Data;
  }
}

export interface PortalOptions {
  demo: boolean;
  /** Additional environment. */
  env?: NodeJS.ProcessEnv;
}

export class Portal {
  private constructor(
    readonly url: string,
    readonly post: SmtpServer,
    private readonly env: NodeJS.ProcessEnv,
    private readonly server: ChildProcess,
    private readonly log: string[],
    private readonly place: TestEnvironment,
  ) {}

  static async start({ demo, env: more }: PortalOptions): Promise<Portal> {
    const post = await SmtpServer.start();
    const place = await TestEnvironment.make(demo ? TestEnvironment.demo() : undefined);
    const env = {
      PATH: process.env.PATH,
      ...place.settings,
      SPV_DEMO: String(demo),
      SPV_DEMO_PASSWORD: password,
      SPV_SMTP_URL: post.url,
      // Tests of MFA or rate limits enable them.
      SPV_AUTH_REQUIRE_MFA: 'none',
      SPV_AUTH_RATE_LIMITS: 'false',
      // Shutdown need not drain for a load balancer.
      SPV_DRAIN_SECONDS: '0',
      // Debug logs give the secret scan more to check.
      SPV_LOG: 'info,api=debug,domain=debug,jobs=debug,cli=debug,lettre=debug,reqwest=debug,hyper_util=debug',
      // The system assigns a free port.
      SPV_LISTEN: '127.0.0.1:0',
      ...more,
    };
    for (const name of ['SPV_DEMO_PASSWORD', 'SPV_DEFAULT_PASSWORD', 'SPV_AUTH_JWT_SECRET']) {
      recordSecret(name, (env as NodeJS.ProcessEnv)[name] ?? '');
    }
    const server = spawn(spvctl, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    try {
      const url = await waitForUrl(server, log);
      return new Portal(url, post, { ...env, SPV_PUBLIC_URL: url }, server, log, place);
    } catch (error) {
      await stop(server);
      await post.stop();
      await place.remove();
      throw error;
    }
  }

  /** Runs an spvctl command in its own process. */
  async spvctl(...args: string[]): Promise<CommandResult> {
    return new CommandResult(await run(spvctl, args, { env: this.env }));
  }

  /** Runs spvctl with standard input. */
  async spvctlWithInput(input: string, ...args: string[]): Promise<CommandResult> {
    recordSecret('standard input', input);
    return new CommandResult(await run(spvctl, args, { env: this.env, input }));
  }

  /** Runs spvctl with `--yes`, fails the test unless it succeeds, and returns its JSON: of a list its items. */
  async operator<Data = unknown>(...args: string[]): Promise<Data> {
    const result = await this.spvctl(...args, '--yes', '--format', 'json');
    if (result.code !== 0)
      throw new Error(`spvctl ${args.join(' ')} ended with ${result.code}: ${result.words}`);
    if (!result.outcome.stdout.trim()) return undefined as Data;
    const data = result.data<Data | { items: Data; next_cursor: string | null }>();
    return data && typeof data === 'object' && 'next_cursor' in data ? data.items : (data as Data);
  }

  /** Runs spvctl on a pseudo terminal and answers its prompts. */
  async onTerminal(args: string[], answers: [question: string, response: string][]): Promise<CommandResult> {
    const env = { ...this.env, TERM: 'xterm', NO_COLOR: '1' };
    const script = [join(support, 'terminal.py'), JSON.stringify(answers), spvctl, ...args];
    return new CommandResult(await run(python, script, { env }));
  }

  /** Expires all links, flows and challenges. */
  async expireLinksAndCodes(): Promise<void> {
    const past = "expires_at = '2000-01-01T00:00:00+00:00'";
    for (const table of ['links', 'flows', 'factor_challenges', 'webauthn_challenges'])
      await this.place.sql(`update ${table} set ${past}`);
  }

  /** Makes all pending jobs due. */
  async makeJobsDue(): Promise<void> {
    const [table, past] = database() === 'sqlite' ? ['Jobs', '0'] : ['apalis.jobs', 'to_timestamp(0)'];
    await this.sql(`update ${table} set run_at = ${past} where status = 'Pending'`);
  }

  /** Runs SQL for state that no command or request can create. */
  sql(text: string): Promise<void> {
    return this.place.sql(text);
  }

  /** Last refresh of all sessions a minute ago, beyond the reuse interval. */
  ageRefreshesByMinute = () => this.backdateSessions('refreshed_at', 60_000);

  /** Last refresh of all sessions now, however long the test took. */
  setRefreshedNow = () => this.backdateSessions('refreshed_at', 0);

  /** All sessions 16 minutes old, beyond the window in which a mail suffices to set a password. */
  ageSessionsBy16Minutes = () => this.backdateSessions('created_at', 16 * 60_000);

  /** All sessions more than a day old. */
  ageSessionsBy25Hours = () => this.backdateSessions('created_at', 25 * 3_600_000);

  /** Last proof of all sessions 15 minutes ago, by password. */
  async expireReauthentication(): Promise<void> {
    const timestamp = Math.floor(Date.now() / 1000) - 900;
    await this.place.sql(`update sessions set amr = '[{"method":"password","timestamp":${timestamp}}]'`);
  }

  private async backdateSessions(when: 'created_at' | 'refreshed_at', before: number): Promise<void> {
    const at = new Date(Date.now() - before).toISOString().replace('Z', '+00:00');
    await this.place.sql(`update sessions set ${when} = '${at}'`);
  }

  /** Server log. */
  get logged(): string {
    return this.log.join('');
  }

  private get lastLogLines(): string {
    return this.logged.split('\n').slice(-20).join('\n');
  }

  /** Stops the server; fails if it has exited or does not stop. */
  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.server;
    const orderly = await stop(this.server);
    await this.post.stop();
    await this.place.remove();
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`spvctl serve ended by itself with ${exitCode ?? signalCode}:\n${this.lastLogLines}`);
    }
    if (!orderly) throw new Error(`spvctl serve did not stop when it was asked to:\n${this.lastLogLines}`);
  }
}

/** Resolves with the URL that the server prints once it is ready. */
function waitForUrl(server: ChildProcess, log: string[]): Promise<string> {
  const keep = openLogFile();
  return new Promise((resolve, reject) => {
    const hear = (data: Buffer) => {
      log.push(data.toString());
      keep(data.toString());
      const found = /The portal is at (http:\S+)/.exec(log.join(''))?.[1];
      if (found) resolve(found);
    };
    server.stdout?.on('data', hear);
    server.stderr?.on('data', hear);
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`spvctl serve ended with ${code}:\n${log.join('')}`)));
  });
}
