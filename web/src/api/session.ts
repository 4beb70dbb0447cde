import type { AuthError } from '@supabase/auth-js';
import type { AuthClient } from './authClient';
import { isAuthRefreshDiscardedError, isAuthRetryableFetchError } from './authErrors';
import { ApiError, temporaryError, secondsFromMessage } from './errors';
import { endImpersonation, leaveImpersonation, currentImpersonation } from './impersonation';
import { hasPendingFlow, hasStoredSession, restorePersistenceAfterRedirect } from './sessionStorage';

/** The URL has an auth code of a flow started in this browser. Evaluated before the auth client consumes it. */
export const hasAuthCallback = new URLSearchParams(location.search).has('code') && hasPendingFlow();

// An abandoned provider sign-in: restores the storage choice before the auth client reads the session.
if (!hasAuthCallback) restorePersistenceAfterRedirect(false);

/** The auth client; undefined until [loadAuth] has loaded it, which everything behind sign-in waits for. */
export let auth: AuthClient;
let loading: Promise<AuthClient> | undefined;
const listeners = new Set<(client: AuthClient) => void>();

/** Loads the auth client: with a stored session or a callback at once, else when someone signs in. */
export function loadAuth(): Promise<AuthClient> {
  loading ??= import('./authClient').then(
    ({ createAuthClient }) => {
      auth = createAuthClient();
      for (const listener of listeners) listener(auth);
      return auth;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Calls `listener` with the auth client once it is loaded. */
export function onAuthLoaded(listener: (client: AuthClient) => void): () => void {
  listeners.add(listener);
  if (auth) listener(auth);
  return () => void listeners.delete(listener);
}

/** Session of this browser; undefined without loading the client if none is stored. */
async function storedSession() {
  if (!loading && !hasStoredSession()) return { data: { session: null }, error: null };
  return (await loadAuth()).getSession();
}

/** Access token. Throws if the session cannot be refreshed right now; the session is kept. */
export async function accessToken(): Promise<string | undefined> {
  const impersonation = currentImpersonation();
  if (impersonation) return impersonation.token;
  const { data, error } = await storedSession();
  if (error) throwIfTemporary(error);
  return data.session?.access_token;
}

/** [accessToken] if `user` is still signed in, so that an action of one user is not finished as another. */
export async function accessTokenFor(user: string): Promise<string | undefined> {
  const impersonation = currentImpersonation();
  if (impersonation) return impersonation.user === user ? impersonation.token : undefined;
  const { data, error } = await storedSession();
  if (error) throwIfTemporary(error);
  return data.session?.user.id === user ? data.session.access_token : undefined;
}

/** A new token after a 401; undefined if the session is over. */
export async function refreshToken(): Promise<string | undefined> {
  // An impersonation token cannot be refreshed: it expired or was revoked.
  if (currentImpersonation()) return leaveImpersonation();
  const { data, error } = await (await loadAuth()).refreshSession();
  // Another sign-in or sign-out won meanwhile, here or in another tab: use its session.
  if (isAuthRefreshDiscardedError(error)) return accessToken();
  if (error) throwIfTemporary(error);
  return data.session?.access_token;
}

function throwIfTemporary(error: AuthError): void {
  if (isAuthRetryableFetchError(error)) throw temporaryError(error);
  const { status, message } = error;
  if (status === 429) {
    const params = { seconds: secondsFromMessage(message) ?? 1 };
    throw new ApiError(status, { code: 'too_many_requests', message, params, request_id: '' });
  }
  // Lock timeout of a refresh by other tabs. Not a conflict of the calling request, so 503.
  if (status === 409) throw new ApiError(503, null);
}

let signingOut = false;

/** Whether sign-out was started by the user in this tab. */
export function isSigningOut(): boolean {
  return signingOut;
}

/** Signs out this browser; during impersonation, ends only that. */
export async function signOut(): Promise<void> {
  if (currentImpersonation()) return endImpersonation();
  signingOut = true;
  try {
    await clearLocalSession();
  } finally {
    signingOut = false;
  }
}

/** Signs out all sessions of the user. If the server fails, nothing changes. */
export async function signOutEverywhere() {
  signingOut = true;
  try {
    return await (await loadAuth()).signOut({ scope: 'global' });
  } finally {
    signingOut = false;
  }
}

/** Clears the local session after the server ended it. */
export async function clearLocalSession(): Promise<void> {
  await (await loadAuth()).signOut({ scope: 'local' });
}
