import { test as base, type Browser, type TestInfo } from '@playwright/test';
import type { Session } from './api';
import { ContextPool } from './contextPool';
import { TestServer } from './server';
import { Portal, type PortalOptions } from './portal';

interface WorkerServer {
  portal: Portal;
  pool: ContextPool;
  sessions: Map<string, Promise<Session>>;
}

interface Fixtures {
  /** Demo data, shared by the tests of one worker: a test changes only rows it created. */
  office: TestServer;
  /** Demo data, for one test alone. */
  ownOffice: TestServer;
  /** Empty installation. */
  emptyOffice: TestServer;
}

export const test = base.extend<Fixtures, { place: WorkerServer }>({
  place: [
    async ({ browser }, provide) => {
      const portal = await Portal.start({ demo: true });
      const pool = new ContextPool(browser, portal.url);
      await provide({ portal, pool, sessions: new Map() });
      await pool.close();
      await portal.stop();
    },
    { scope: 'worker' },
  ],
  office: async ({ place }, provide, story) => {
    await runTest(place, provide, story);
  },
  ownOffice: async ({ browser }, provide) => {
    await withServer(browser, { demo: true }, provide);
  },
  emptyOffice: async ({ browser }, provide) => {
    await withServer(browser, { demo: false }, provide);
  },
});

type Provide = (office: TestServer) => Promise<void>;

async function runTest(place: WorkerServer, provide: Provide, story: TestInfo): Promise<void> {
  const office = new TestServer(place.portal, place.pool, place.sessions);
  const logStart = place.portal.logged.length;
  const attachDiagnostics = async () => {
    const contentType = 'text/plain';
    await story.attach('what was on the screens', { body: await office.describePages(), contentType });
    await story.attach('what the server logged', { body: place.portal.logged.slice(logStart), contentType });
  };
  try {
    await provide(office);
  } catch (error) {
    await attachDiagnostics();
    throw error;
  }
  if (story.status !== story.expectedStatus) await attachDiagnostics();
  await office.close();
}

/** Runs a test in its own server with these settings. */
export async function withServer(
  browser: Browser,
  options: PortalOptions,
  story: (office: TestServer) => Promise<void>,
): Promise<void> {
  const portal = await Portal.start(options);
  const pool = new ContextPool(browser, portal.url);
  try {
    await runTest({ portal, pool, sessions: new Map() }, story, test.info());
  } finally {
    await pool.close();
    await portal.stop();
  }
}

export { expect } from '@playwright/test';
