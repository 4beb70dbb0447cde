/**
 * Before the first story: what is missing is named, a folder is made for what must not be said and what was, and the
 * demo office is made.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEnvironment } from './testEnvironment';
import ready from './prerequisites';

export default async function globalSetup(): Promise<() => Promise<void>> {
  ready();
  const folder = await mkdtemp(join(tmpdir(), 'spv-story-logs-'));
  // Whoever tells stories finds it there.
  process.env.STORY_LOGS = folder;
  const demo = await TestEnvironment.createDemo();
  return async () => {
    await demo.remove();
    await rm(folder, { recursive: true, force: true });
  };
}
