/**
 * Unsaved changes registry: dirty forms register, and the portal layout asks before navigation. A router has one
 * blocker only, and a page may have several forms.
 */
import { useLayoutEffect } from 'react';

const dirtyForms = new Set<symbol>();
let confirmLeave: (() => Promise<boolean>) | undefined;

/** Registers a dirty form. Pass `false` while saving, so that navigation after it is free. */
export function useUnsaved(unsaved: boolean): void {
  useLayoutEffect(() => {
    if (!unsaved) return undefined;
    const form = Symbol('unsaved');
    dirtyForms.add(form);
    return () => void dirtyForms.delete(form);
  }, [unsaved]);
}

export const hasUnsaved = () => dirtyForms.size > 0;

/** The session is over, so nothing can be saved. */
export function clearUnsaved(): void {
  dirtyForms.clear();
}

/** Sets the confirmation dialog. */
export function setLeaveConfirmation(how: () => Promise<boolean>): () => void {
  confirmLeave = how;
  return () => {
    if (confirmLeave === how) confirmLeave = undefined;
  };
}

/** Asks before a non-navigation action discards input; true if it may. */
export async function confirmDiscard(): Promise<boolean> {
  if (!hasUnsaved() || !confirmLeave) return true;
  const may = await confirmLeave();
  if (may) clearUnsaved();
  return may;
}
