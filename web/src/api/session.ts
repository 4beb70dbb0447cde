import { AuthClient } from '@supabase/auth-js';
import { sessionPlace } from '../shared/sessionPlace';

export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  // The protocol wants the header; our server does not look at its value.
  headers: { apikey: 'spv-portal' },
  storageKey: 'spv-auth-token',
  storage: sessionPlace,
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'pkce',
  // How the client calls /factors/recovery-codes, which our server offers.
  experimental: { recoveryCodes: true },
});

export async function accessToken(): Promise<string | undefined> {
  const { data } = await auth.getSession();
  return data.session?.access_token;
}

let leaving = false;

/** Whether the session is ending because somebody here wanted it to. */
export function isLeaving(): boolean {
  return leaving;
}

/** Ends this browser's session only. */
export async function signOut(): Promise<void> {
  leaving = true;
  try {
    await forgetSession();
  } finally {
    leaving = false;
  }
}

/** The session is over on the server: nothing of it stays here. */
export async function forgetSession(): Promise<void> {
  await auth.signOut({ scope: 'local' });
}
