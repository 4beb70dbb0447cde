import type { Factor, User } from '@supabase/auth-js';
import { queryOptions } from '@tanstack/react-query';
import { auth } from '../../api/session';
import { granted } from '../auth/granted';

/** What belongs to the signed-in person's own account. An event about any of it refreshes all of it. */
export const own = {
  all: ['security'] as const,
  user: () =>
    queryOptions({
      queryKey: [...own.all, 'user'],
      queryFn: async () => (await granted(auth.getUser())).user,
    }),
};

export function verifiedApps(user: User | undefined): Factor[] {
  return (user?.factors ?? []).filter(
    (factor) => factor.factor_type === 'totp' && factor.status === 'verified',
  );
}
