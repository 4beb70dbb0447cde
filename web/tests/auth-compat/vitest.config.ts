import { defineConfig } from 'vitest/config';
import { database } from '../../e2e/support/env';

/** The sign-in protocol, spoken by the client from npm with the real binary, on the database of STORY_DATABASE. */
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    name: database(),
    environment: 'node',
    include: ['**/*.test.ts'],
    globalSetup: './support/globalSetup.ts',
    // Each file has a portal, a database and a mail server of its own.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
