/** Where a portal keeps its things: a data folder and, on PostgreSQL, a database beside it. */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { database, password, python, spvctl } from './env';
import { run } from './process';

export class Place {
  private constructor(
    readonly dir: string,
    private readonly name: string | undefined,
  ) {}

  /** An empty one, or a copy of another. */
  static async make(from?: Place): Promise<Place> {
    const dir = await mkdtemp(join(tmpdir(), 'spv-story-'));
    if (from) await cp(from.dir, dir, { recursive: true });
    if (database() === 'sqlite') return new Place(dir, undefined);
    const name = `story_${randomBytes(6).toString('hex')}`;
    await sql(`create database ${name}${from?.name ? ` template ${from.name}` : ''}`);
    return new Place(dir, name);
  }

  /** With the demo data: made once before the first story, because it costs seconds, and copied for each portal. */
  static async makeDemo(): Promise<Place> {
    const place = await Place.make();
    const env = { PATH: process.env.PATH, ...place.settings, SPV_DEMO: 'true', SPV_DEMO_PASSWORD: password };
    const done = await run(spvctl, ['seed', '--demo'], { env });
    if (done.code !== 0) throw new Error(`spvctl seed --demo ended with ${done.code}: ${done.stderr}`);
    process.env.STORY_DEMO = JSON.stringify([place.dir, place.name]);
    return place;
  }

  /** The one with the demo data, for whoever tells stories; undefined where nobody made it. */
  static demo(): Place | undefined {
    const kept = process.env.STORY_DEMO;
    return kept ? new Place(...(JSON.parse(kept) as [string, string | undefined])) : undefined;
  }

  get settings(): NodeJS.ProcessEnv {
    return { SPV_DATA_DIR: this.dir, ...(this.name && { SPV_DATABASE_URL: address(this.name) }) };
  }

  /** Changes what no command changes: what a clock would. */
  async sql(text: string): Promise<void> {
    if (this.name) return await sql(text, address(this.name));
    const script =
      'import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])';
    const done = await run(python, ['-c', script, join(this.dir, 'spv.db'), text]);
    if (done.code !== 0) throw new Error(`sqlite3: ${done.stderr}`);
  }

  async leave(): Promise<void> {
    if (this.name) await sql(`drop database ${this.name} with (force)`);
    await rm(this.dir, { recursive: true, force: true });
  }
}

const server = () => process.env.TEST_POSTGRES_URL ?? '';

function address(name: string): string {
  const url = new URL(server());
  url.pathname = `/${name}`;
  return url.href;
}

async function sql(text: string, at = server()): Promise<void> {
  const done = await run('psql', [at, '-v', 'ON_ERROR_STOP=1', '-qc', text]);
  if (done.code !== 0) throw new Error(`psql: ${done.stderr}`);
}
