import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seedJob, setSeedJob } from './seedJob';

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('seed job is tracked per user until its outcome is shown', () => {
  setSeedJob('elias', 'job-1');
  expect([seedJob('elias'), seedJob('erin')]).toEqual(['job-1', null]);
  setSeedJob('elias', null);
  expect(seedJob('elias')).toBeNull();
  expect(kept.size).toBe(0);
});

test('seed job without an outcome expires after ten minutes, as does the next', () => {
  setSeedJob('elias', 'job-1');
  vi.setSystemTime(Date.now() + 599_999);
  expect(seedJob('elias')).toBe('job-1');
  vi.setSystemTime(Date.now() + 1);
  expect(seedJob('elias')).toBeNull();
  setSeedJob('elias', 'job-2');
  expect(seedJob('elias')).toBe('job-2');
});

test('stored seed job without a timestamp is ignored', () => {
  kept.set('spv-seed-elias', 'job-1');
  expect(seedJob('elias')).toBeNull();
  kept.set('spv-seed-elias', 'job-1 soon');
  expect(seedJob('elias')).toBeNull();
});
