/**
 * Unsaved input. Forms register while they hold any, and the portal's frame asks before a navigation would lose it:
 * a router takes one blocker only, and a page may have several forms.
 */
import { useLayoutEffect } from 'react';

const forms = new Set<symbol>();
let ask: (() => Promise<boolean>) | undefined;

/** Registers a form while it holds what was not saved. Pass `false` while it is being saved: what follows may leave. */
export function useUnsaved(unsaved: boolean): void {
  useLayoutEffect(() => {
    if (!unsaved) return undefined;
    const form = Symbol('unsaved');
    forms.add(form);
    return () => void forms.delete(form);
  }, [unsaved]);
}

export const hasUnsaved = () => forms.size > 0;

/** The session is over: there is nothing left to save it with. */
export function forgetUnsaved(): void {
  forms.clear();
}

/** The frame says how to ask. */
export function askWith(how: () => Promise<boolean>): () => void {
  ask = how;
  return () => {
    if (ask === how) ask = undefined;
  };
}

/** Asks before something other than a navigation would lose input; true where it may be lost, or there is none. */
export async function mayLose(): Promise<boolean> {
  if (!hasUnsaved() || !ask) return true;
  const may = await ask();
  if (may) forgetUnsaved();
  return may;
}
