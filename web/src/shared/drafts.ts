import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useLayoutEffect } from 'react';
import { browserStore, tabStore, type BrowserStore } from '../api/browserStorage';
import { basePath } from '../basePath';
import { useMe } from './session/me';

/**
 * Drafts by user: of messages in the browser, of forms in the tab. Sign-out removes all of them, sign-in those of other
 * users. The key has the base path, because portals below other paths of the host share the storage.
 */
const PREFIX = `spv-draft${basePath}:`;
const userPrefix = (user: string) => `${PREFIX}${user}:`;
const keyOf = (user: string, name: string) => userPrefix(user) + name;

export function readDraft<Values extends object>(
  user: string,
  name: string,
  store: BrowserStore = browserStore,
): Partial<Values> | undefined {
  try {
    const text = store.getItem(keyOf(user, name));
    return text ? (JSON.parse(text) as Partial<Values>) : undefined;
  } catch {
    return undefined;
  }
}

export function saveDraft(
  user: string,
  name: string,
  values: object,
  store: BrowserStore = browserStore,
): void {
  store.setItem(keyOf(user, name), JSON.stringify(values));
}

export function removeDraft(user: string, name: string, store: BrowserStore = browserStore): void {
  store.removeItem(keyOf(user, name));
}

/** Removes the drafts of everyone but this user. */
export function clearDrafts(exceptUser?: string): void {
  for (const store of [browserStore, tabStore]) {
    for (const key of store.keys()) {
      const isKept = exceptUser !== undefined && key.startsWith(userPrefix(exceptUser));
      if (key.startsWith(PREFIX) && !isKept) store.removeItem(key);
    }
  }
}

/**
 * Keeps a dirty form as a draft of the tab and restores it after a reload. The draft ends when the form is sent or left, which
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
    const draft = readDraft<Values>(user, name, tabStore);
    if (draft) setValues(draft);
    // Not after a reload, which runs no cleanup.
    return () => removeDraft(user, name, tabStore);
  }, [user, name, setValues]);
  const dirty = form.isDirty();
  const { values } = form;
  useEffect(() => {
    if (name === null) return;
    if (dirty) saveDraft(user, name, values, tabStore);
    else removeDraft(user, name, tabStore);
  }, [dirty, values, user, name]);
}
