/** Checks the prerequisites and lists what is missing before anything starts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chromium, database, firefox, python, spvctl, webApp } from './env';

export default function ready(): void {
  const missing = [
    !existsSync(spvctl) && `The portal is not built: ${spvctl} is missing. Run: cargo build --workspace`,
    !isWebAppBuilt() && 'The web app is not built. Run: npm --prefix web run build',
    !existsSync(chromium) &&
      `Chromium is missing. Run: sudo apt-get install chromium-headless-shell fonts-liberation`,
    !existsSync(firefox) && 'Firefox is missing. Run: sudo apt-get install firefox-esr',
    !python && 'The mail server is missing. Run: sudo apt-get install python3-aiosmtpd',
    ...(database() === 'postgres' ? checkPostgres() : []),
  ].filter((sentence) => sentence !== false);
  if (missing.length > 0) throw new Error(missing.join('\n'));
}

function checkPostgres(): (string | false)[] {
  const address = process.env.TEST_POSTGRES_URL;
  if (!address) return ['TEST_POSTGRES_URL is not set: the address of a PostgreSQL that may be written to.'];
  return [!succeeds('psql', address, '-c', 'select 1') && `PostgreSQL does not answer at ${address}.`];
}

/** Without a build, dist has a placeholder page. */
function isWebAppBuilt(): boolean {
  return existsSync(webApp) && readFileSync(webApp, 'utf8').includes('/assets/');
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
