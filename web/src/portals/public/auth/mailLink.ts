/** The links in our mails, and asking for new ones. */
import type { AuthError, EmailOtpType } from '@supabase/auth-js';
import { auth } from '../../../api/session';
import { paths } from '../../../paths';
import { authProblem, type Problem } from '../../../shared/auth/problem';
import { beganFlow } from '../../../shared/sessionPlace';
import { isOwnPath } from '../../../shared/wantedPath';

/** What a link can be for; each has its own words. */
export const linkTypes = ['signup', 'magiclink', 'email_change', 'email'] as const;
export type LinkType = (typeof linkTypes)[number];

export interface MailLink {
  tokenHash: string | null;
  type: EmailOtpType;
  /** Begun in another browser: only the six digits can be used here. */
  elsewhere: boolean;
  /** The server sent the visitor here because the link was no longer good. */
  failed: boolean;
  /** Where to go afterwards: a page of ours, or none. */
  next: string | undefined;
}

export function readMailLink(fallback: EmailOtpType): MailLink {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  const tokenHash = query.get('token_hash') ?? query.get('token');
  return {
    tokenHash,
    type: (query.get('type') as EmailOtpType | null) ?? fallback,
    elsewhere: Boolean(tokenHash?.startsWith('pkce_')) && !beganFlow(),
    failed: query.has('error_code') || fragment.has('error_code'),
    next: ownPage(query.get('redirect_to'), location.origin),
  };
}

/** The path of an address of ours. Another site's, and pages of signing in, lead nowhere. */
export function ownPage(address: string | null, origin: string): string | undefined {
  if (!address || !URL.canParse(address, origin)) return undefined;
  const url = new URL(address, origin);
  const path = url.pathname + url.search;
  const leads = url.origin === origin && isOwnPath(path) && path !== '/' && !path.startsWith('/auth/');
  return leads ? path : undefined;
}

const problem = (error: AuthError | null): Problem | undefined => (error ? authProblem(error) : undefined);

/** Asks for a recovery mail. The answer is the same whether or not there is such an account. */
export async function recover(email: string): Promise<Problem | undefined> {
  const redirectTo = location.origin + paths.resetPassword;
  return problem((await auth.resetPasswordForEmail(email, { redirectTo })).error);
}

/** Asks for another mail of the kind whose link has expired. */
export async function sendAgain(type: LinkType, email: string): Promise<Problem | undefined> {
  const emailRedirectTo = location.origin + paths.confirm;
  if (type === 'magiclink' || type === 'email') {
    const options = { shouldCreateUser: false, emailRedirectTo };
    return problem((await auth.signInWithOtp({ email, options })).error);
  }
  return problem((await auth.resend({ type, email, options: { emailRedirectTo } })).error);
}
