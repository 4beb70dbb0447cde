import { test as base, type Browser, type TestInfo } from '@playwright/test';
import type { Session } from './api';
import { ContextPool } from './contextPool';
import { Office } from './server';
import { Portal, type PortalOptions } from './portal';

interface Place {
  portal: Portal;
  pool: ContextPool;
  sessions: Map<string, Promise<Session>>;
}

interface Offices {
  /** With the demo data, and shared by the stories of one worker: what a story changes, it made itself. */
  office: Office;
  /** With the demo data, for one story alone. */
  ownOffice: Office;
  /** New: nobody and nothing is in it. */
  emptyOffice: Office;
}

export const test = base.extend<Offices, { place: Place }>({
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
    await work(place, provide, story);
  },
  ownOffice: async ({ browser }, provide) => {
    await withOffice(browser, { demo: true }, provide);
  },
  emptyOffice: async ({ browser }, provide) => {
    await withOffice(browser, { demo: false }, provide);
  },
});

type Provide = (office: Office) => Promise<void>;

async function work(place: Place, provide: Provide, story: TestInfo): Promise<void> {
  const office = new Office(place.portal, place.pool, place.sessions);
  const before = place.portal.logged.length;
  const explain = async () => {
    const contentType = 'text/plain';
    await story.attach('what was on the screens', { body: await office.scene(), contentType });
    await story.attach('what the server logged', { body: place.portal.logged.slice(before), contentType });
  };
  try {
    await provide(office);
  } catch (error) {
    await explain();
    throw error;
  }
  if (story.status !== story.expectedStatus) await explain();
  await office.close();
}

/** Runs a story in an office of its own, with these settings beside the usual ones. */
export async function withOffice(
  browser: Browser,
  options: PortalOptions,
  story: (office: Office) => Promise<void>,
): Promise<void> {
  const portal = await Portal.start(options);
  const pool = new ContextPool(browser, portal.url);
  try {
    await work({ portal, pool, sessions: new Map() }, story, test.info());
  } finally {
    await pool.close();
    await portal.stop();
  }
}

export { expect } from '@playwright/test';
