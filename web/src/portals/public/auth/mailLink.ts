/** Mail links: parsing, verification and resending. */
import type { AuthError, EmailOtpType } from '@supabase/auth-js';
import i18next from 'i18next';
import { toAppPath, toPublicPath, toPublicUrl } from '../../../basePath';
import { trackedFetch } from '../../../api/connection';
import { errorText, responseError } from '../../../api/errors';
import { BAD_GATEWAY } from '../../../api/proxyResponses';
import { auth } from '../../../api/session';
import { paths } from '../../../paths';
import { authErrorText, type Problem } from '../../../shared/auth/authErrorText';
import { hasPendingFlow } from '../../../api/sessionStorage';
import { isOwnPath } from '../../../shared/returnPath';

/** Link types, each with its own texts. */
export const linkTypes = ['signup', 'magiclink', 'email_change', 'email'] as const;
export type LinkType = (typeof linkTypes)[number];

export interface MailLink {
  tokenHash: string | null;
  type: EmailOtpType;
  /** Started with PKCE in another browser: only the code works here. */
  otherBrowser: boolean;
  /** Verification redirects: to this browser with a code, or to another program. */
  redirects: boolean;
  /** The server reports an expired link. */
  failed: boolean;
  /** Internal path to open afterwards, if any. */
  next: string | undefined;
}

export function readMailLink(fallback: EmailOtpType): MailLink {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  const tokenHash = query.get('token_hash') ?? query.get('token');
  const type = (query.get('type') as EmailOtpType | null) ?? fallback;
  const redirectTo = query.get('redirect_to');
  const ours = isOwnOrigin(redirectTo, location.origin);
  // Email changes of the portal can be confirmed in any browser.
  const pkce = Boolean(tokenHash?.startsWith('pkce_')) && type !== 'email_change';
  const otherBrowser = pkce && ours && !hasPendingFlow();
  return {
    tokenHash,
    type,
    otherBrowser,
    redirects: !ours || (pkce && !otherBrowser),
    failed: query.has('error_code') || fragment.has('error_code'),
    next: internalPath(redirectTo, location.origin),
  };
}

/** No redirect means this site. Another origin may be allowed by the operator; the server decides. */
function isOwnOrigin(address: string | null, origin: string): boolean {
  return !address || (URL.canParse(address, origin) && new URL(address, origin).origin === origin);
}

export type LinkOutcome =
  | { url: string }
  | { url?: undefined; status: number; text: string }
  | { url?: undefined; status?: undefined; hasSession: boolean };

/** Verifies the link without HTTP redirect and returns the target; the server rejects open redirects. */
export async function followMailLink(link: MailLink): Promise<LinkOutcome> {
  const redirectTo = new URLSearchParams(location.search).get('redirect_to');
  const response = await trackedFetch(toPublicPath('/auth/v1/verify'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({
      type: link.type,
      token_hash: link.tokenHash,
      redirect_to: redirectTo,
      skip_http_redirect: true,
    }),
  }).catch(() => undefined);
  if (!response) return { status: 0, text: i18next.t('public:problem.offline') };
  const result = (await response.json().catch(() => ({}))) as { url?: string; message?: string };
  if (response.ok && result.url) return completeRedirect(new URL(result.url));
  if (response.status === BAD_GATEWAY)
    return { status: response.status, text: errorText(responseError(502, JSON.stringify(result))) };
  return { status: response.status, text: result.message ?? i18next.t('public:problem.unavailable') };
}

/** A disallowed redirect falls back to this site: its session is used here. */
async function completeRedirect(to: URL): Promise<LinkOutcome> {
  if (to.origin !== location.origin || to.searchParams.has('code')) return { url: to.href };
  const tokens = new URLSearchParams(to.hash.slice(1));
  const access_token = tokens.get('access_token');
  const refresh_token = tokens.get('refresh_token');
  if (!access_token || !refresh_token) return { hasSession: false };
  const { error } = await auth.setSession({ access_token, refresh_token });
  return error ? { status: error.status ?? 0, text: authErrorText(error).text } : { hasSession: true };
}

/** Internal path of a URL. Other origins and auth pages yield undefined. */
export function internalPath(address: string | null, origin: string): string | undefined {
  if (!address || !URL.canParse(address, origin)) return undefined;
  const url = new URL(address, origin);
  const page = toAppPath(url.pathname);
  if (url.origin !== origin || page === undefined) return undefined;
  const path = page + url.search;
  return isOwnPath(path) && path !== '/' && !path.startsWith('/auth/') ? path : undefined;
}

const toProblem = (error: AuthError | null): Problem | undefined =>
  error ? authErrorText(error) : undefined;

/** Requests a recovery mail. The response is the same for unknown addresses. */
export async function requestRecoveryMail(email: string): Promise<Problem | undefined> {
  const redirectTo = toPublicUrl(paths.resetPassword);
  return toProblem((await auth.resetPasswordForEmail(email, { redirectTo })).error);
}

/** Requests another mail of the same type. */
export async function resendMail(type: LinkType, email: string): Promise<Problem | undefined> {
  const emailRedirectTo = toPublicUrl(paths.landing);
  if (type === 'magiclink' || type === 'email') {
    const options = { shouldCreateUser: false, emailRedirectTo };
    return toProblem((await auth.signInWithOtp({ email, options })).error);
  }
  return toProblem((await auth.resend({ type, email, options: { emailRedirectTo } })).error);
}
