import { test as base, type Browser, type TestInfo } from '@playwright/test';
import type { Session } from './api';
import { ContextPool } from './contextPool';
import { TestServer } from './server';
import { Portal, type PortalOptions } from './portal';

interface WorkerFixture {
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

export const test = base.extend<Fixtures, { worker: WorkerFixture }>({
  worker: [
    async ({ browser }, provide) => {
      const portal = await Portal.start({ demo: true });
      const pool = new ContextPool(browser, portal.url);
      await provide({ portal, pool, sessions: new Map() });
      await pool.close();
      await portal.stop();
    },
    { scope: 'worker' },
  ],
  office: async ({ worker }, provide, testInfo) => {
    await runTest(worker, provide, testInfo);
  },
  ownOffice: async ({ browser }, provide) => {
    await withServer(browser, { demo: true }, provide);
  },
  emptyOffice: async ({ browser }, provide) => {
    await withServer(browser, { demo: false }, provide);
  },
});

type Provide = (office: TestServer) => Promise<void>;

async function runTest(worker: WorkerFixture, provide: Provide, testInfo: TestInfo): Promise<void> {
  const office = new TestServer(worker.portal, worker.pool, worker.sessions);
  const logStart = worker.portal.logged.length;
  const attachDiagnostics = async () => {
    const contentType = 'text/plain';
    await testInfo.attach('accessibility snapshots', { body: await office.describePages(), contentType });
    await testInfo.attach('server log', { body: worker.portal.logged.slice(logStart), contentType });
  };
  try {
    await provide(office);
  } catch (error) {
    await attachDiagnostics();
    throw error;
  }
  if (testInfo.status !== testInfo.expectedStatus) await attachDiagnostics();
  await office.close();
}

/** Runs a test in its own server with these settings. */
export async function withServer(
  browser: Browser,
  options: PortalOptions,
  body: (office: TestServer) => Promise<void>,
): Promise<void> {
  const portal = await Portal.start(options);
  const pool = new ContextPool(browser, portal.url);
  try {
    await runTest({ portal, pool, sessions: new Map() }, body, test.info());
  } finally {
    await pool.close();
    await portal.stop();
  }
}

export { expect } from '@playwright/test';
