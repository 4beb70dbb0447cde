import { browserStore, tabStore } from './browserStorage';

/**
 * Where the auth client keeps its session: local storage, or this tab only when "Remember me" was left unticked. Given
 * to the auth client as its `storage`.
 */
export const SESSION_KEY = 'spv-auth-token';
const TAB_ONLY_KEY = 'spv-session-in-tab';
/** Where the session was before the tab left to sign in elsewhere: as `tabOnly` was, or empty. */
const PREVIOUS_STORAGE_KEY = 'spv-session-was-in-tab';

/** Only the session moves: a mail's link opens a new tab, which must find the other half of its flow. */
const storeFor = (key: string) => (key === SESSION_KEY && tabStore.getItem(TAB_ONLY_KEY) ? tabStore : browserStore);

/** The provider's own tokens are for programs that ask it more. These pages do not, so they keep none. */
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

/** Call before signing in. The answer undoes it, for when nobody was let in. */
export function setSessionPersistence(remember: boolean): () => void {
  tabStore.removeItem(PREVIOUS_STORAGE_KEY);
  const before = tabStore.getItem(TAB_ONLY_KEY) === null;
  const set = (everywhere: boolean) =>
    everywhere ? tabStore.removeItem(TAB_ONLY_KEY) : tabStore.setItem(TAB_ONLY_KEY, '1');
  set(remember);
  return () => set(before);
}

/** [rememberSession] before a visit to another site, which forgets the page: the tab keeps what undoes it. */
export function setSessionPersistenceForRedirect(remember: boolean): void {
  const before = tabStore.getItem(PREVIOUS_STORAGE_KEY) ?? tabStore.getItem(TAB_ONLY_KEY) ?? '';
  setSessionPersistence(remember);
  tabStore.setItem(PREVIOUS_STORAGE_KEY, before);
}

/** Back from there. Without a session, the one that the tab had is where it was. */
export function restorePersistenceAfterRedirect(letIn: boolean): void {
  const before = tabStore.getItem(PREVIOUS_STORAGE_KEY);
  if (before === null) return;
  tabStore.removeItem(PREVIOUS_STORAGE_KEY);
  if (!letIn) setSessionPersistence(before === '');
}

/** Whose session this tab has. Other tabs tell of theirs too, and theirs may be another one. */
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

/** Whether this browser began a flow that a `code` or a `pkce_` link can finish. */
export function hasPendingFlow(): boolean {
  return browserStore.keys().some((key) => key.startsWith(SESSION_KEY) && key.endsWith('code-verifier'));
}
