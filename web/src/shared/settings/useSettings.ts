/** Public settings. A plain fetch, because the landing page has no query cache. */
import { useEffect, useState } from 'react';
import { toPublicPath } from '../../basePath';
import type { Settings } from '../../api/types';

let pending: Promise<Settings> | undefined;

async function fetchSettings(): Promise<Settings> {
  const response = await fetch(toPublicPath('/rest/v1/settings'));
  if (!response.ok) throw new Error(`settings: ${response.status}`);
  return (await response.json()) as Settings;
}

/** Fetched once; a failure is retried by the next page. */
export function loadSettings(): Promise<Settings> {
  pending ??= fetchSettings().catch((error: unknown) => {
    pending = undefined;
    throw error;
  });
  return pending;
}

/** `undefined` while loading or on error: optional content is hidden. */
export function useSettings(): Settings | undefined {
  const [settings, setSettings] = useState<Settings>();
  useEffect(() => {
    let current = true;
    loadSettings().then(
      (response) => current && setSettings(response),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, []);
  return settings;
}
