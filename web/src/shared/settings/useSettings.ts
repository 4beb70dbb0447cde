/** The operator's public settings. A plain fetch: the landing page reads them before there is a query cache. */
import { useEffect, useState } from 'react';
import type { Settings } from '../../api/types';

let pending: Promise<Settings> | undefined;

async function fetchSettings(): Promise<Settings> {
  const answer = await fetch('/rest/v1/settings');
  if (!answer.ok) throw new Error(`settings: ${answer.status}`);
  return (await answer.json()) as Settings;
}

/** Asked for once; a failure is forgotten, so the next page asks again. */
export function loadSettings(): Promise<Settings> {
  pending ??= fetchSettings().catch((error: unknown) => {
    pending = undefined;
    throw error;
  });
  return pending;
}

/** `undefined` while loading and when the server does not answer: what is set is shown, the rest is not. */
export function useSettings(): Settings | undefined {
  const [settings, setSettings] = useState<Settings>();
  useEffect(() => {
    let current = true;
    loadSettings().then(
      (answer) => current && setSettings(answer),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, []);
  return settings;
}
