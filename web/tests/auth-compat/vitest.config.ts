import { defineConfig } from 'vitest/config';
import { database } from '../../e2e/support/env';

/** auth-js compatibility tests against the real binary, on the database of STORY_DATABASE. */
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    name: database(),
    environment: 'node',
    include: ['**/*.test.ts'],
    globalSetup: './support/globalSetup.ts',
    // Each file has its own portal, database and mail server.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
