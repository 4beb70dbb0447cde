/** Sign-in requirements (MFA, password change) and the return path across them. */
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { isOwnPath } from '../returnPath';

interface Requirements {
  must_change_password: boolean;
  mfa: Pick<Me['mfa'], 'due'>;
}

/** Page of the next requirement. MFA first, because a password change needs aal2. */
export function nextRequirement({ must_change_password, mfa }: Requirements): string | undefined {
  if (mfa.due === 'challenge') return paths.mfa;
  if (must_change_password) return paths.newPassword;
  if (mfa.due === 'enrol') return paths.mfaSetup;
  return undefined;
}

/** Adds the return path to a requirement page. */
export function withReturnTo(step: string, next: string): string {
  return `${step}?next=${encodeURIComponent(next)}`;
}

/** Return path from the query: internal and not a requirement page. */
export function returnTo(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next');
  return next && isOwnPath(next) && !next.startsWith('/auth/') ? next : undefined;
}
