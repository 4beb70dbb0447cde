import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useLayoutEffect } from 'react';
import { browserStore } from '../api/browserStorage';
import { useMe } from './session/me';

/** Drafts of long texts: kept in the browser by user, so that they survive a reload, and removed at sign-out. */
const PREFIX = 'spv-draft:';
const keyOf = (user: string, name: string) => `${PREFIX}${user}:${name}`;

export function readDraft<Values extends object>(user: string, name: string): Partial<Values> | undefined {
  try {
    const text = browserStore.getItem(keyOf(user, name));
    return text ? (JSON.parse(text) as Partial<Values>) : undefined;
  } catch {
    return undefined;
  }
}

export function saveDraft(user: string, name: string, values: object): void {
  browserStore.setItem(keyOf(user, name), JSON.stringify(values));
}

export function removeDraft(user: string, name: string): void {
  browserStore.removeItem(keyOf(user, name));
}

/** Removes the drafts of everyone. */
export function clearDrafts(): void {
  for (const key of browserStore.keys()) if (key.startsWith(PREFIX)) browserStore.removeItem(key);
}

/**
 * Keeps a dirty form as a draft and restores it after a reload. The draft ends when the form is sent or left, which
 * asks. Without a name nothing is kept, as for the edit of a record, which may be newer after the reload.
 */
export function useFormDraft<Values extends object>(
  name: string | null,
  form: UseFormReturnType<Values>,
): void {
  const { id: user } = useMe();
  const { setValues } = form;
  useLayoutEffect(() => {
    if (name === null) return;
    const draft = readDraft<Values>(user, name);
    if (draft) setValues(draft);
    // Not after a reload, which runs no cleanup.
    return () => removeDraft(user, name);
  }, [user, name, setValues]);
  const dirty = form.isDirty();
  const { values } = form;
  useEffect(() => {
    if (name === null) return;
    if (dirty) saveDraft(user, name, values);
    else removeDraft(user, name);
  }, [dirty, values, user, name]);
}
