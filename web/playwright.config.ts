import { defineConfig } from '@playwright/test';
import { chromium, database } from './e2e/support/env';

/**
 * Browser tests against the real binary and a real browser, on the database of STORY_DATABASE. All tests run on SQLite;
 * those tagged `@postgres` in their title run on PostgreSQL too. Rules and statements are tested on both databases in
 * Rust, so tag a test only if the whole system differs by database: every page of every portal once, one way through
 * each portal, events between processes, concurrent edits, jobs and mails, uploads, search and exports.
 *
 * Tests tagged `@timed` assert how fast something happens. They run after the others, one at a time, because three
 * workers on two cores delay each other by seconds. To run one of them without the others, add `--no-deps`.
 */
const name = database();
const onThisDatabase = name === 'postgres' ? /@postgres/ : /./;
export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './e2e/support/globalSetup.ts',
  projects: [
    { name, grep: onThisDatabase, grepInvert: /@timed/, teardown: 'log secrets' },
    { name: `${name} timed`, grep: /@timed/, workers: 1, dependencies: [name] },
    // Runs after all other tests.
    { name: 'log secrets', testMatch: 'log-secrets.check.ts' },
  ],
  // Each worker has its own portal, database and mail server: tests do not see each other's data. Tests spend a third
  // of their time waiting for toasts, mails and processes, so two cores run three workers.
  workers: 3,
  fullyParallel: true,
  // No retries: a flaky test is a fault to find.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    locale: 'en-US',
    timezoneId: 'America/New_York',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    // A failed wait is reported with its locator, long before the test times out.
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    // Traces would cost a third of the CPU.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--force-color-profile=srgb',
        '--font-render-hinting=none',
      ],
    },
  },
});
