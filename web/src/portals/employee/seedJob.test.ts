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

test('a seed job is waited for until its outcome is told, by whoever queued it', () => {
  setSeedJob('elias', 'job-1');
  expect([seedJob('elias'), seedJob('erin')]).toEqual(['job-1', null]);
  setSeedJob('elias', null);
  expect(seedJob('elias')).toBeNull();
  expect(kept.size).toBe(0);
});

test('a seed job without an outcome is forgotten after ten minutes, and the next is waited for as long', () => {
  setSeedJob('elias', 'job-1');
  vi.setSystemTime(Date.now() + 599_999);
  expect(seedJob('elias')).toBe('job-1');
  vi.setSystemTime(Date.now() + 1);
  expect(seedJob('elias')).toBeNull();
  setSeedJob('elias', 'job-2');
  expect(seedJob('elias')).toBe('job-2');
});

test('a seed job that was kept without its time is not waited for', () => {
  kept.set('spv-seed-elias', 'job-1');
  expect(seedJob('elias')).toBeNull();
  kept.set('spv-seed-elias', 'job-1 soon');
  expect(seedJob('elias')).toBeNull();
});
