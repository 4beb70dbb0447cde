/** Public settings. A plain fetch, because the landing page has no query cache. */
import { toPublicPath } from '../basePath';
import { hasStoredSession } from './sessionStorage';
import type { Settings } from './types';

let pending: Promise<Settings> | undefined;
let loaded: Settings | undefined;
let isFirstTaken = false;

async function fetchSettings(): Promise<Settings> {
  const response = await fetch(toPublicPath('/rest/v1/settings'));
  if (!response.ok) throw new Error(`settings: ${response.status}`);
  return (await response.json()) as Settings;
}

/** Fetched once; a failure is retried by the next page. */
export function loadSettings(): Promise<Settings> {
  pending ??= fetchSettings().then(
    (settings) => {
      loaded = settings;
      return settings;
    },
    (error: unknown) => {
      pending = undefined;
      throw error;
    },
  );
  return pending;
}

/** The request of [loadSettings] for the first reader without a session; signed-in users see more of the settings. */
export function firstSettings(): Promise<Settings> | undefined {
  if (isFirstTaken || hasStoredSession()) return undefined;
  isFirstTaken = true;
  return loadSettings();
}

/** `undefined` until [loadSettings] has resolved. */
export function loadedSettings(): Settings | undefined {
  return loaded;
}

/** Settings without a request, for the prerendered page. */
export function setLoadedSettings(settings: Settings): void {
  loaded = settings;
}
