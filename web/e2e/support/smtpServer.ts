/** SMTP server and the mails it received. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { python, support } from './env';
import { freePort, isListening, run, stop, waitUntil } from './process';
import { recordSecretsIn, recordSecret } from './secretScan';

export class Mail {
  readonly id!: string;
  readonly from!: string;
  readonly to!: string[];
  readonly subject!: string;
  readonly text!: string;
  readonly html!: string;
  /** Link of the List-Unsubscribe header, or null. */
  readonly unsubscribe!: string | null;

  constructor(parts: object) {
    Object.assign(this, parts);
  }

  /** The link to `path` in the text. */
  link(path: string): string {
    const found = this.text.match(/https?:\/\/\S+/g)?.find((address) => new URL(address).pathname === path);
    if (!found) throw new Error(`The mail “${this.subject}” has no link to ${path}:\n${this.text}`);
    return found;
  }

  /** Records its links and code as secrets. */
  recordSecrets(): void {
    for (const address of this.text.match(/https?:\/\/\S+/g) ?? []) recordSecretsIn(address);
    recordSecretsIn(this.unsubscribe);
    for (const [, code] of this.text.matchAll(/^\s*(\d{6})\s*$/gm))
      recordSecret('code in a mail', code ?? '');
  }

  /** The six-digit code. */
  code(): string {
    const found = /^\s*(\d{6})\s*$/m.exec(this.text)?.[1];
    if (!found) throw new Error(`The mail “${this.subject}” has no code:\n${this.text}`);
    return found;
  }
}

export class SmtpServer {
  private server: ChildProcess | undefined;
  /** Parsed mails by file name, in order of arrival. */
  private readonly parsed = new Map<string, Mail>();

  private constructor(
    private readonly port: number,
    private readonly dir: string,
  ) {}

  static async start(): Promise<SmtpServer> {
    const post = new SmtpServer(await freePort(), await mkdtemp(join(tmpdir(), 'spv-post-')));
    await post.open();
    return post;
  }

  async open(): Promise<void> {
    const address = `127.0.0.1:${this.port}`;
    const args = ['-m', 'aiosmtpd', '-n', '-l', address, '-c', 'mailserver.MailServer', this.maildir];
    this.server = spawn(python, args, {
      env: { PYTHONPATH: join(support, 'smtp'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: 'ignore',
    });
    await waitUntil(() => isListening(this.port), 'the mail server listens');
  }

  /** Stops the SMTP server; received mails stay. */
  async close(): Promise<void> {
    if (this.server) await stop(this.server);
  }

  private get maildir(): string {
    return join(this.dir, 'mail');
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** All mails, oldest first. Each file is parsed once: tests poll, and Python takes 0.1 s to start. */
  async mails(): Promise<Mail[]> {
    const files = await readdir(join(this.maildir, 'new')).catch(() => []);
    const unread = files.filter((file) => !this.parsed.has(file));
    if (unread.length > 0) {
      const read = await run(python, [join(support, 'mailbox.py'), this.maildir, ...unread]);
      if (read.code !== 0) throw new Error(read.stderr);
      const mails = JSON.parse(read.stdout) as ({ file: string } & object)[];
      for (const { file, ...parts } of mails) {
        const mail = new Mail(parts);
        mail.recordSecrets();
        this.parsed.set(file, mail);
      }
    }
    return [...this.parsed.values()];
  }

  /** Waits for the newest mail to this address with this subject that `isMeant`. */
  async waitForMail(
    to: string,
    subject: string,
    isMeant: (mail: Mail) => boolean = () => true,
  ): Promise<Mail> {
    const found = await this.count(to, subject, (mails) => mails.some(isMeant));
    return found.findLast(isMeant) as Mail;
  }

  /** Waits until `enough` holds and returns the matching mails, oldest first. */
  async count(to: string, subject: string, enough: (mails: Mail[]) => boolean): Promise<Mail[]> {
    let found: Mail[] = [];
    const poll = async () => {
      const mails = await this.mails();
      found = mails.filter((mail) => mail.to.includes(to) && mail.subject.includes(subject));
      return enough(found);
    };
    await waitUntil(poll, `a mail “${subject}” to ${to}`, 15_000);
    return found;
  }

  async stop(): Promise<void> {
    await this.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
