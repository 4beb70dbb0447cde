/** The auth client, with its library: a chunk of its own, which a visitor without a session does not load. */
import { AuthClient } from '@supabase/auth-js';
import { toPublicUrl } from '../basePath';
import { trackedFetch } from './connection';
import { impersonatedFetch } from './impersonation';
import { SESSION_KEY, sessionStorageAdapter } from './sessionStorage';

/** Reads the stored session and a code in the URL when it is created. */
export const createAuthClient = () =>
  new AuthClient({
    url: toPublicUrl('/auth/v1'),
    // Required by the protocol, ignored by the server.
    headers: { apikey: 'spv-portal' },
    storageKey: SESSION_KEY,
    storage: sessionStorageAdapter,
    fetch: (input, init) => impersonatedFetch(trackedFetch, input, init),
    persistSession: true,
    autoRefreshToken: true,
    detectSessionInUrl: true,
    flowType: 'pkce',
    // Enables /factors/recovery-codes in auth-js.
    experimental: { recoveryCodes: true },
  });

export type AuthClient = ReturnType<typeof createAuthClient>;
