import { test as base, type Browser, type TestInfo } from '@playwright/test';
import type { Session } from './api';
import { Office } from './office';
import { Portal } from './portal';

interface Place {
  portal: Portal;
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
    // oxlint-disable-next-line no-empty-pattern -- this is how Playwright is told that nothing else is needed
    async ({}, provide) => {
      const portal = await Portal.start({ demo: true });
      await provide({ portal, sessions: new Map() });
      await portal.stop();
    },
    { scope: 'worker' },
  ],
  office: async ({ browser, place }, provide, story) => {
    await work(place, browser, provide, story);
  },
  ownOffice: async ({ browser }, provide, story) => {
    await workAlone({ demo: true }, browser, provide, story);
  },
  emptyOffice: async ({ browser }, provide, story) => {
    await workAlone({ demo: false }, browser, provide, story);
  },
});

/** A story of how pages look and read, which is the same on either database: it is told on SQLite alone. */
export const looks = { tag: '@looks' };

type Provide = (office: Office) => Promise<void>;

async function work(place: Place, browser: Browser, provide: Provide, story: TestInfo): Promise<void> {
  const office = new Office(place.portal, browser, place.sessions);
  const before = place.portal.logged.length;
  await provide(office);
  if (story.status !== story.expectedStatus) {
    const contentType = 'text/plain';
    await story.attach('what was on the screens', { body: await office.scene(), contentType });
    await story.attach('what the server logged', { body: place.portal.logged.slice(before), contentType });
  }
  await office.close();
}

async function workAlone(
  options: { demo: boolean },
  browser: Browser,
  provide: Provide,
  story: TestInfo,
): Promise<void> {
  const portal = await Portal.start(options);
  try {
    await work({ portal, sessions: new Map() }, browser, provide, story);
  } finally {
    await portal.stop();
  }
}

export { expect } from '@playwright/test';
