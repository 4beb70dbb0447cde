import {
  AuthClient,
  isAuthRefreshDiscardedError,
  isAuthRetryableFetchError,
  type AuthError,
} from '@supabase/auth-js';
import { heardFetch } from './connection';
import { ApiError, passing, secondsIn } from './errors';
import { endLooking, lookAway, lookedFetch, looking } from './impersonation';
import { beganFlow, cameBack, sessionKey, sessionPlace } from './sessionStorage';

/** The address has a code for something this very browser began. Asked first: the auth client uses it up. */
export const bringsSession = new URLSearchParams(location.search).has('code') && beganFlow();

// Refused there, or never gone through with: before the auth client looks for the session that the tab had.
if (!bringsSession) cameBack(false);

export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  // The protocol wants the header; our server does not look at its value.
  headers: { apikey: 'spv-portal' },
  storageKey: sessionKey,
  storage: sessionPlace,
  fetch: (input, init) => lookedFetch(heardFetch, input, init),
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'pkce',
  // How the client calls /factors/recovery-codes, which our server offers.
  experimental: { recoveryCodes: true },
});

/** Throws when there is a session that just cannot be renewed now: whoever has one keeps it. */
export async function accessToken(): Promise<string | undefined> {
  const seen = looking();
  if (seen) return seen.token;
  const { data, error } = await auth.getSession();
  if (error) throwIfPassing(error);
  return data.session?.access_token;
}

/** [accessToken], if it is still this person who is signed in: what one began is not finished in another's name. */
export async function accessTokenOf(user: string): Promise<string | undefined> {
  const seen = looking();
  if (seen) return seen.user === user ? seen.token : undefined;
  const { data, error } = await auth.getSession();
  if (error) throwIfPassing(error);
  return data.session?.user.id === user ? data.session.access_token : undefined;
}

/** The token after a refusal of the last one; undefined: the session is over. */
export async function renewedToken(): Promise<string | undefined> {
  // Nothing renews it: its time is up, or it was ended elsewhere.
  if (looking()) return lookAway();
  const { data, error } = await auth.refreshSession();
  // Somebody signed in or out meanwhile, here or in another tab: their session is the one that counts.
  if (isAuthRefreshDiscardedError(error)) return accessToken();
  if (error) throwIfPassing(error);
  return data.session?.access_token;
}

function throwIfPassing(error: AuthError): void {
  if (isAuthRetryableFetchError(error)) throw passing(error);
  const { status, message } = error;
  if (status === 429) {
    const params = { seconds: secondsIn(message) ?? 1 };
    throw new ApiError(status, { code: 'too_many_requests', message, params, request_id: '' });
  }
  // Others were renewing it for too long. It is no conflict about what the caller wanted to change.
  if (status === 409) throw new ApiError(503, null);
}

let leaving = false;

/** Whether the session is ending because somebody here wanted it to. */
export function isLeaving(): boolean {
  return leaving;
}

/** Ends this browser's session only; of whoever looks as somebody else, only that. */
export async function signOut(): Promise<void> {
  if (looking()) return endLooking();
  leaving = true;
  try {
    await forgetSession();
  } finally {
    leaving = false;
  }
}

/** Ends every session of this person, this one too. When the server does not, nothing has ended. */
export async function signOutEverywhere() {
  leaving = true;
  try {
    return await auth.signOut({ scope: 'global' });
  } finally {
    leaving = false;
  }
}

/** The session is over on the server: nothing of it stays here. */
export async function forgetSession(): Promise<void> {
  await auth.signOut({ scope: 'local' });
}
