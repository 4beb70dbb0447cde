import {
  AuthClient,
  isAuthRefreshDiscardedError,
  isAuthRetryableFetchError,
  type AuthError,
} from '@supabase/auth-js';
import { trackedFetch } from './connection';
import { ApiError, temporaryError, secondsFromMessage } from './errors';
import { endImpersonation, leaveImpersonation, impersonatedFetch, currentImpersonation } from './impersonation';
import { hasPendingFlow, restorePersistenceAfterRedirect, SESSION_KEY, sessionStorageAdapter } from './sessionStorage';

/** The address has a code for something this very browser began. Asked first: the auth client uses it up. */
export const hasAuthCallback = new URLSearchParams(location.search).has('code') && hasPendingFlow();

// Refused there, or never gone through with: before the auth client looks for the session that the tab had.
if (!hasAuthCallback) restorePersistenceAfterRedirect(false);

export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  // The protocol wants the header; our server does not look at its value.
  headers: { apikey: 'spv-portal' },
  storageKey: SESSION_KEY,
  storage: sessionStorageAdapter,
  fetch: (input, init) => impersonatedFetch(trackedFetch, input, init),
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'pkce',
  // How the client calls /factors/recovery-codes, which our server offers.
  experimental: { recoveryCodes: true },
});

/** Throws when there is a session that just cannot be renewed now: whoever has one keeps it. */
export async function accessToken(): Promise<string | undefined> {
  const seen = currentImpersonation();
  if (seen) return seen.token;
  const { data, error } = await auth.getSession();
  if (error) throwIfTemporary(error);
  return data.session?.access_token;
}

/** [accessToken], if it is still this person who is signed in: what one began is not finished in another's name. */
export async function accessTokenFor(user: string): Promise<string | undefined> {
  const seen = currentImpersonation();
  if (seen) return seen.user === user ? seen.token : undefined;
  const { data, error } = await auth.getSession();
  if (error) throwIfTemporary(error);
  return data.session?.user.id === user ? data.session.access_token : undefined;
}

/** The token after a refusal of the last one; undefined: the session is over. */
export async function refreshToken(): Promise<string | undefined> {
  // Nothing renews it: its time is up, or it was ended elsewhere.
  if (currentImpersonation()) return leaveImpersonation();
  const { data, error } = await auth.refreshSession();
  // Somebody signed in or out meanwhile, here or in another tab: their session is the one that counts.
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
  // Others were renewing it for too long. It is no conflict about what the caller wanted to change.
  if (status === 409) throw new ApiError(503, null);
}

let signingOut = false;

/** Whether the session is ending because somebody here wanted it to. */
export function isSigningOut(): boolean {
  return signingOut;
}

/** Ends this browser's session only; of whoever looks as somebody else, only that. */
export async function signOut(): Promise<void> {
  if (currentImpersonation()) return endImpersonation();
  signingOut = true;
  try {
    await clearLocalSession();
  } finally {
    signingOut = false;
  }
}

/** Ends every session of this person, this one too. When the server does not, nothing has ended. */
export async function signOutEverywhere() {
  signingOut = true;
  try {
    return await auth.signOut({ scope: 'global' });
  } finally {
    signingOut = false;
  }
}

/** The session is over on the server: nothing of it stays here. */
export async function clearLocalSession(): Promise<void> {
  await auth.signOut({ scope: 'local' });
}
