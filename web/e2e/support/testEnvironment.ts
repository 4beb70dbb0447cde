/** Storage of a test server: a data directory and, on PostgreSQL, a database. */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { database, password, python, spvctl } from './env';
import { run } from './process';

export class TestEnvironment {
  private constructor(
    readonly dir: string,
    private readonly name: string | undefined,
  ) {}

  /** An empty environment, or a copy of another. */
  static async make(from?: TestEnvironment): Promise<TestEnvironment> {
    const dir = await mkdtemp(join(tmpdir(), 'spv-e2e-'));
    if (from) await cp(from.dir, dir, { recursive: true });
    if (database() === 'sqlite') return new TestEnvironment(dir, undefined);
    const name = `e2e_${randomBytes(6).toString('hex')}`;
    await runSql(`create database ${name}${from?.name ? ` template ${from.name}` : ''}`);
    return new TestEnvironment(dir, name);
  }

  /** With demo data: seeded once, because it takes seconds, and copied for each server. */
  static async createDemo(): Promise<TestEnvironment> {
    const place = await TestEnvironment.make();
    const env = { PATH: process.env.PATH, ...place.settings, SPV_DEMO: 'true', SPV_DEMO_PASSWORD: password };
    const result = await run(spvctl, ['seed', '--demo'], { env });
    if (result.code !== 0) throw new Error(`spvctl seed --demo ended with ${result.code}: ${result.stderr}`);
    process.env.STORY_DEMO = JSON.stringify([place.dir, place.name]);
    return place;
  }

  /** The environment with demo data; undefined before `createDemo`. */
  static demo(): TestEnvironment | undefined {
    const stored = process.env.STORY_DEMO;
    return stored ? new TestEnvironment(...(JSON.parse(stored) as [string, string | undefined])) : undefined;
  }

  get settings(): NodeJS.ProcessEnv {
    return { SPV_DATA_DIR: this.dir, ...(this.name && { SPV_DATABASE_URL: databaseUrl(this.name) }) };
  }

  /** Changes rows directly, mostly to move time. */
  async sql(text: string): Promise<void> {
    if (this.name) return await runSql(text, databaseUrl(this.name));
    const script =
      'import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])';
    const result = await run(python, ['-c', script, join(this.dir, 'spv.db'), text]);
    if (result.code !== 0) throw new Error(`sqlite3: ${result.stderr}`);
  }

  async remove(): Promise<void> {
    if (this.name) await runSql(`drop database ${this.name} with (force)`);
    await rm(this.dir, { recursive: true, force: true });
  }
}

const postgresUrl = () => process.env.TEST_POSTGRES_URL ?? '';

function databaseUrl(name: string): string {
  const url = new URL(postgresUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function runSql(text: string, at = postgresUrl()): Promise<void> {
  const result = await run('psql', [at, '-v', 'ON_ERROR_STOP=1', '-qc', text]);
  if (result.code !== 0) throw new Error(`psql: ${result.stderr}`);
}
