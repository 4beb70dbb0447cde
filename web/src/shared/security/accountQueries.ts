import type { Factor, User, UserIdentity } from '@supabase/auth-js';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { isStatus } from '../../api/errors';
import { currentImpersonation } from '../../api/impersonation';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { authCall } from './authApi';

export interface Session {
  id: string;
  created_at: string;
  last_used_at: string;
  user_agent: string | null;
  device: string | null;
  address: string | null;
  aal: 'aal1' | 'aal2';
  current: boolean;
  begun_by: string | null;
}

export interface Passkey {
  id: string;
  friendly_name: string;
  created_at: string;
  last_used_at?: string;
  device_kind: 'synced' | 'device' | 'security_key' | 'unknown';
  second_factor: boolean;
}

/** Queries of the own account. An account event invalidates all of them. */
export const accountQueries = {
  all: ['security'] as const,
  user: () =>
    queryOptions({
      queryKey: [...accountQueries.all, 'user'],
      queryFn: async () => (await unwrapAuthResult(auth.getUser())).user,
    }),
  sessions: () =>
    queryOptions({
      queryKey: [...accountQueries.all, 'sessions'],
      queryFn: ({ signal }) => authCall<Session[]>('GET', '/sessions', { signal }),
    }),
  passkeys: () =>
    queryOptions({
      queryKey: [...accountQueries.all, 'passkeys'],
      queryFn: ({ signal }) => authCall<Passkey[]>('GET', '/passkeys', { signal }),
    }),
  /** null: no recovery codes. */
  codes: () =>
    queryOptions({
      queryKey: [...accountQueries.all, 'codes'],
      queryFn: async () => {
        try {
          return await unwrapAuthResult(auth.mfa.recoveryCodes.getStatus());
        } catch (error) {
          if (isStatus(error, 404, 422)) return null;
          throw error;
        }
      },
    }),
  signIns: () =>
    infiniteQueryOptions({
      queryKey: [...accountQueries.all, 'sign-ins'],
      queryFn: ({ pageParam, signal }) =>
        body(
          api.GET('/rest/v1/me/sign-ins', { params: { query: { limit: 10, cursor: pageParam } }, signal }),
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      select: (data) => data.pages.flatMap((page) => page.items),
    }),
};

/** Initial data from the session, refetched immediately. */
export async function loadOwnUser(): Promise<null> {
  if (currentImpersonation()) return null;
  const { queryKey } = accountQueries.user();
  if (!queryClient.getQueryData(queryKey)) {
    const { data } = await auth.getSession();
    if (data.session) queryClient.setQueryData(queryKey, data.session.user, { updatedAt: 0 });
  }
  return null;
}

export function verifiedApps(user: User | undefined): Factor[] {
  return (user?.factors ?? []).filter(
    (factor) => factor.factor_type === 'totp' && factor.status === 'verified',
  );
}

/** Number of second factors: apps and passkeys. */
export function countFactors(user: User | undefined): number {
  return (user?.factors ?? []).filter(
    ({ factor_type, status }) => status === 'verified' && ['totp', 'webauthn'].includes(factor_type),
  ).length;
}

export const hasSecondFactor = (user: User | undefined) => countFactors(user) > 0;

export function identityFor(user: User, provider: string): UserIdentity | undefined {
  return user.identities?.find((identity) => identity.provider === provider);
}

/** Message prefix of an email change: both addresses or the new one only. */
export function useEmailWords() {
  const { data } = useQuery(queries.settings());
  return data?.secure_email_change === false ? 'email.alone' : 'email';
}
