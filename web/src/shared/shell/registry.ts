/** What the shown page offers to the shell: actions for the palette, keys for the sheet of keys. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

function createRegistry<Entry>() {
  const entries = new Map<symbol, Entry[]>();
  const listeners = new Set<() => void>();
  let all: Entry[] = [];
  const update = () => {
    all = [...entries.values()].flat();
    for (const listener of listeners) listener();
  };
  return {
    add(added: Entry[]): () => void {
      const key = Symbol('entries');
      entries.set(key, added);
      update();
      return () => {
        entries.delete(key);
        update();
      };
    },
    useAll: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        () => all,
      ),
  };
}

/** Action of the shown page in the palette. */
export interface PageAction {
  label: string;
  run: () => void;
}

/** Keys of the shown page in the sheet of keys. */
export interface PageKeys {
  /** Such as `['J']` or `['Shift', 'X']`. */
  keys: string[];
  label: string;
}

const actions = createRegistry<PageAction>();
const keys = createRegistry<PageKeys>();

/** Offers actions in the palette while the page is shown. Labels are unique within the page. */
export function usePageActions(offered: PageAction[]): void {
  const latest = useRef(offered);
  useEffect(() => {
    latest.current = offered;
  });
  const labels = offered.map(({ label }) => label).join('\n');
  useEffect(() => {
    if (!labels) return undefined;
    const run = (label: string) => latest.current.find((action) => action.label === label)?.run();
    return actions.add(labels.split('\n').map((label) => ({ label, run: () => run(label) })));
  }, [labels]);
}

/** Lists keys in the sheet of keys while the page is shown. The page handles them itself. */
export function usePageKeys(offered: PageKeys[]): void {
  const serialized = JSON.stringify(offered);
  useEffect(() => keys.add(JSON.parse(serialized) as PageKeys[]), [serialized]);
}

export const useShownPageActions = actions.useAll;
export const useShownPageKeys = keys.useAll;
