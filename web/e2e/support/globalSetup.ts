/** Playwright global setup: checks prerequisites, creates the folder of the secret scan and the demo data. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEnvironment } from './testEnvironment';
import ready from './prerequisites';

export default async function globalSetup(): Promise<() => Promise<void>> {
  ready();
  const folder = await mkdtemp(join(tmpdir(), 'spv-e2e-logs-'));
  // The workers read it from the environment.
  process.env.STORY_LOGS = folder;
  const demo = await TestEnvironment.createDemo();
  return async () => {
    await demo.remove();
    await rm(folder, { recursive: true, force: true });
  };
}
