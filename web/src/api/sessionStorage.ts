import { basePath } from '../basePath';
import { browserStore, tabStore } from './browserStorage';

/**
 * Storage adapter of the auth client: localStorage, or sessionStorage if "Remember me" was unticked. The key has the base
 * path, because portals below other paths of the host share the storage.
 */
export const SESSION_KEY = `spv-auth-token${basePath}`;
const TAB_ONLY_KEY = 'spv-session-in-tab';
/** Storage choice before a provider redirect: the former value of TAB_ONLY_KEY, or empty. */
const PREVIOUS_STORAGE_KEY = 'spv-session-was-in-tab';

/** Only the session moves: a mail link opens a new tab, which needs the PKCE verifier. */
const storeFor = (key: string) =>
  key === SESSION_KEY && tabStore.getItem(TAB_ONLY_KEY) ? tabStore : browserStore;

/** Drops the tokens of the OAuth provider, which the app does not use. */
function withoutProviderTokens(session: string): string {
  try {
    return JSON.stringify(JSON.parse(session), (name, value: unknown) =>
      name === 'provider_token' || name === 'provider_refresh_token' ? undefined : value,
    );
  } catch {
    return session;
  }
}

export const sessionStorageAdapter = {
  getItem: (key: string) => storeFor(key).getItem(key),
  setItem: (key: string, value: string) =>
    storeFor(key).setItem(key, key === SESSION_KEY ? withoutProviderTokens(value) : value),
  removeItem: (key: string) => storeFor(key).removeItem(key),
};

/** Sets the storage of the next session; returns an undo function for a failed sign-in. */
export function setSessionPersistence(remember: boolean): () => void {
  tabStore.removeItem(PREVIOUS_STORAGE_KEY);
  const before = tabStore.getItem(TAB_ONLY_KEY) === null;
  const set = (everywhere: boolean) =>
    everywhere ? tabStore.removeItem(TAB_ONLY_KEY) : tabStore.setItem(TAB_ONLY_KEY, '1');
  set(remember);
  return () => set(before);
}

/** [setSessionPersistence] before a provider redirect, which unloads the page: the undo state is stored in the tab. */
export function setSessionPersistenceForRedirect(remember: boolean): void {
  const before = tabStore.getItem(PREVIOUS_STORAGE_KEY) ?? tabStore.getItem(TAB_ONLY_KEY) ?? '';
  setSessionPersistence(remember);
  tabStore.setItem(PREVIOUS_STORAGE_KEY, before);
}

/** After the redirect: without a session, restores the previous storage choice. */
export function restorePersistenceAfterRedirect(letIn: boolean): void {
  const before = tabStore.getItem(PREVIOUS_STORAGE_KEY);
  if (before === null) return;
  tabStore.removeItem(PREVIOUS_STORAGE_KEY);
  if (!letIn) setSessionPersistence(before === '');
}

export const hasStoredSession = () => sessionStorageAdapter.getItem(SESSION_KEY) !== null;

/** User id of the stored session. Other tabs may have another session. */
export function sessionOwner(): string | undefined {
  try {
    const session = JSON.parse(sessionStorageAdapter.getItem(SESSION_KEY) ?? 'null') as {
      user?: { id?: string };
    } | null;
    return session?.user?.id;
  } catch {
    return undefined;
  }
}

/** Whether this browser has a PKCE verifier for a `code` or `pkce_` link. */
export function hasPendingFlow(): boolean {
  return browserStore
    .keys()
    .some((key) => key.startsWith(`${SESSION_KEY}-`) && key.endsWith('code-verifier'));
}
