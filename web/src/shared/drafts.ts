import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useLayoutEffect, type Dispatch, type SetStateAction } from 'react';
import { browserStore, tabStore, type BrowserStore } from '../api/browserStorage';
import { basePath } from '../basePath';
import { useMe } from './session/me';
import { changedValues } from './settings/changedFields';

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

/** Removes the drafts of all forms in the tab. For input that is discarded: the page may be left before React unmounts it. */
export function removeFormDrafts(): void {
  for (const key of tabStore.keys()) if (key.startsWith(PREFIX)) tabStore.removeItem(key);
}

/** Draft of a form. */
interface FormDraft<Values> {
  /** The changed fields. */
  values: Partial<Values>;
  /** Of a form that edits a record: its version and values when editing began. */
  base?: { version: number; values: Values };
}

interface Versioned {
  version: number;
}

/**
 * Keeps a dirty form as a draft of the tab and restores it after a reload. The draft ends when the form is sent or left, which
 * asks. Without a name nothing is kept, for example in dialogs that edit a record. Not for forms with passwords, secrets or files.
 *
 * A form that edits a versioned record gives it: a restored draft is saved against the version on which it began, so that a
 * newer one is a version conflict.
 */
export function useFormDraft<Values extends object, Row extends Versioned>(
  name: string | null,
  form: UseFormReturnType<Values>,
  row?: Row,
  setRow?: Dispatch<SetStateAction<Row>>,
): void {
  const { id: user } = useMe();
  const { setValues, setInitialValues, setDirty } = form;
  useLayoutEffect(() => {
    if (name === null) return;
    const draft = readDraft<FormDraft<Values>>(user, name, tabStore);
    if (draft?.base) {
      const { version, values } = draft.base;
      setInitialValues(values);
      setRow?.((current) => ({ ...current, version }));
    }
    if (draft?.values) {
      setValues(draft.values);
      // Mantine marks whole fields as dirty here, also where a part is typed back later. Compare the values instead.
      setDirty({});
    }
    // Not after a reload, which runs no cleanup.
    return () => removeDraft(user, name, tabStore);
  }, [user, name, setValues, setInitialValues, setDirty, setRow]);
  const base = row && { version: row.version, values: form.getInitialValues() };
  const draft: FormDraft<Values> | undefined = form.isDirty()
    ? { values: changedValues(form), base }
    : undefined;
  const saved = draft && JSON.stringify(draft);
  useEffect(() => {
    if (name === null) return;
    if (saved) tabStore.setItem(keyOf(user, name), saved);
    else removeDraft(user, name, tabStore);
  }, [saved, user, name]);
}
