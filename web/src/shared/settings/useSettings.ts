import { useEffect, useState } from 'react';
import type { Settings } from '../../api/types';
import { loadedSettings, loadSettings } from '../../api/publicSettings';

/** `undefined` while loading or on error: optional content is hidden. */
export function useSettings(): Settings | undefined {
  const [settings, setSettings] = useState(loadedSettings);
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
