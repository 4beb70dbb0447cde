import { browserStore, tabStore } from './browserStorage';

/**
 * Where the auth client keeps its session: local storage, or this tab only when "Remember me" was left unticked. Given
 * to the auth client as its `storage`.
 */
export const sessionKey = 'spv-auth-token';
const tabOnly = 'spv-session-in-tab';
/** Where the session was before the tab left to sign in elsewhere: as `tabOnly` was, or empty. */
const placeBefore = 'spv-session-was-in-tab';

/** Only the session moves: a mail's link opens a new tab, which must find the other half of its flow. */
const place = (key: string) => (key === sessionKey && tabStore.getItem(tabOnly) ? tabStore : browserStore);

/** The provider's own tokens are for programs that ask it more. These pages do not, so they keep none. */
function withoutProvider(session: string): string {
  try {
    return JSON.stringify(JSON.parse(session), (name, value: unknown) =>
      name === 'provider_token' || name === 'provider_refresh_token' ? undefined : value,
    );
  } catch {
    return session;
  }
}

export const sessionPlace = {
  getItem: (key: string) => place(key).getItem(key),
  setItem: (key: string, value: string) =>
    place(key).setItem(key, key === sessionKey ? withoutProvider(value) : value),
  removeItem: (key: string) => place(key).removeItem(key),
};

/** Call before signing in. The answer undoes it, for when nobody was let in. */
export function rememberSession(remember: boolean): () => void {
  tabStore.removeItem(placeBefore);
  const before = tabStore.getItem(tabOnly) === null;
  const set = (everywhere: boolean) =>
    everywhere ? tabStore.removeItem(tabOnly) : tabStore.setItem(tabOnly, '1');
  set(remember);
  return () => set(before);
}

/** [rememberSession] before a visit to another site, which forgets the page: the tab keeps what undoes it. */
export function rememberSessionAfterwards(remember: boolean): void {
  const before = tabStore.getItem(placeBefore) ?? tabStore.getItem(tabOnly) ?? '';
  rememberSession(remember);
  tabStore.setItem(placeBefore, before);
}

/** Back from there. Without a session, the one that the tab had is where it was. */
export function cameBack(letIn: boolean): void {
  const before = tabStore.getItem(placeBefore);
  if (before === null) return;
  tabStore.removeItem(placeBefore);
  if (!letIn) rememberSession(before === '');
}

/** Whose session this tab has. Other tabs tell of theirs too, and theirs may be another one. */
export function sessionOwner(): string | undefined {
  try {
    const session = JSON.parse(sessionPlace.getItem(sessionKey) ?? 'null') as {
      user?: { id?: string };
    } | null;
    return session?.user?.id;
  } catch {
    return undefined;
  }
}

/** Whether this browser began a flow that a `code` or a `pkce_` link can finish. */
export function beganFlow(): boolean {
  return browserStore.keys().some((key) => key.startsWith(sessionKey) && key.endsWith('code-verifier'));
}
