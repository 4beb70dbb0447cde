/**
 * Unsaved input. Forms register while they hold any, and the portal's frame asks before a navigation would lose it:
 * a router takes one blocker only, and a page may have several forms.
 */
import { useLayoutEffect } from 'react';

const dirtyForms = new Set<symbol>();
let confirmLeave: (() => Promise<boolean>) | undefined;

/** Registers a form while it holds what was not saved. Pass `false` while it is being saved: what follows may leave. */
export function useUnsaved(unsaved: boolean): void {
  useLayoutEffect(() => {
    if (!unsaved) return undefined;
    const form = Symbol('unsaved');
    dirtyForms.add(form);
    return () => void dirtyForms.delete(form);
  }, [unsaved]);
}

export const hasUnsaved = () => dirtyForms.size > 0;

/** The session is over: there is nothing left to save it with. */
export function clearUnsaved(): void {
  dirtyForms.clear();
}

/** The frame says how to ask. */
export function setLeaveConfirmation(how: () => Promise<boolean>): () => void {
  confirmLeave = how;
  return () => {
    if (confirmLeave === how) confirmLeave = undefined;
  };
}

/** Asks before something other than a navigation would lose input; true where it may be lost, or there is none. */
export async function confirmDiscard(): Promise<boolean> {
  if (!hasUnsaved() || !confirmLeave) return true;
  const may = await confirmLeave();
  if (may) clearUnsaved();
  return may;
}
