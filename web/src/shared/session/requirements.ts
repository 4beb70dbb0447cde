/** What must be done after signing in before any portal opens, and how the way on is kept meanwhile. */
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { isOwnPath } from '../returnPath';

interface Requirements {
  must_change_password: boolean;
  mfa: Pick<Me['mfa'], 'due'>;
}

/** The page of the next such thing. A second factor is shown first: without it no password can be changed. */
export function nextRequirement({ must_change_password, mfa }: Requirements): string | undefined {
  if (mfa.due === 'challenge') return paths.mfa;
  if (must_change_password) return paths.newPassword;
  if (mfa.due === 'enrol') return paths.mfaSetup;
  return undefined;
}

/** The same address, knowing where to go afterwards. */
export function withReturnTo(step: string, next: string): string {
  return `${step}?next=${encodeURIComponent(next)}`;
}

/** Where to go afterwards: a page of this site, and not a step again. */
export function returnTo(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next');
  return next && isOwnPath(next) && !next.startsWith('/auth/') ? next : undefined;
}
