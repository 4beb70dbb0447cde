import { useState } from 'react';
import { browserStore } from '../../api/browserStorage';
import { densities, type Density } from '../../ui/grid/columns';

interface Preferences {
  density: Density;
  /** Keys of the hidden columns; unset: as the list is by default. */
  hidden: string[] | undefined;
}

function read(key: string): Preferences {
  try {
    const found = JSON.parse(browserStore.getItem(key) ?? '{}') as Record<string, unknown>;
    const density = densities.find((known) => known === found.density) ?? 'normal';
    const { hidden } = found;
    return {
      density,
      hidden: Array.isArray(hidden) ? hidden.filter((name) => typeof name === 'string') : undefined,
    };
  } catch {
    return { density: 'normal', hidden: undefined };
  }
}

/** Density and columns of a list, remembered in this browser for each person. */
export function useGridPreferences(list: string, person: string) {
  const key = `spv-grid:${person}:${list}`;
  const [preferences, setPreferences] = useState(() => read(key));
  const save = (change: Partial<Preferences>) => {
    const next = { ...preferences, ...change };
    browserStore.setItem(key, JSON.stringify(next));
    setPreferences(next);
  };
  return { ...preferences, save };
}
