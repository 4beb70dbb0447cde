import { defineConfig } from '@playwright/test';
import { chromium, database } from './e2e/support/env';

/**
 * Stories of people at the portal, in a real browser against the real binary, on the database of STORY_DATABASE. All of
 * them run on SQLite, those tagged `@postgres` in their title on PostgreSQL too. The rule for the tag: the server side
 * differs by database, which is the SQL of lists, search, exports, figures and money, concurrent edits, events between
 * processes, jobs and mails, uploads, and every page of every portal once. Rules that Rust tests or protocol tests
 * prove on both databases (validation, permissions, sign-in, rate limits), layout, texts and browser behaviour need no
 * second run.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './e2e/support/globalSetup.ts',
  projects: [
    {
      name: database(),
      teardown: 'what was logged',
      ...(database() === 'postgres' && { grep: /@postgres/ }),
    },
    // After the last story, whichever were told.
    { name: 'what was logged', testMatch: 'log-secrets.check.ts' },
  ],
  // Each worker has a portal, a database and a mail server of its own: stories do not see each other's data.
  // Stories wait for a third of their time, for toasts, mails and other processes: two cores have enough to do for three.
  workers: 3,
  fullyParallel: true,
  // A story that fails now and then is a fault to find.
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
    // What waits in vain is named, long before the whole story runs out of time.
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    // A trace of every action would cost a third of the machine.
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
