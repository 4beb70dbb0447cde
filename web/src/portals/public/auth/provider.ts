/** Provider sign-in (OAuth) with Google or Microsoft: redirect and callback. */
import i18next from 'i18next';
import { toPublicUrl } from '../../../basePath';
import { authErrorText } from '../../../shared/auth/authErrorText';
import {
  restorePersistenceAfterRedirect,
  setSessionPersistenceForRedirect,
} from '../../../api/sessionStorage';
import { accessToken, hasAuthCallback, loadAuth } from '../../../api/session';
import { paths, type Portal } from '../../../paths';
import { enterPortal, showSignInError, type SignInOutcome } from './signIn';

/** Provider name of the UI and id of the auth API. */
export const providerIds = { google: 'google', microsoft: 'azure' } as const;
export type Provider = keyof typeof providerIds;

/** Redirects to the provider, which returns to the same login form. */
export async function redirectToProvider(
  provider: Provider,
  portal: Portal,
  remember: boolean,
): Promise<void> {
  setSessionPersistenceForRedirect(remember);
  const auth = await loadAuth();
  await auth.signInWithOAuth({
    provider: providerIds[provider],
    options: { redirectTo: toPublicUrl(paths.login(portal)) },
  });
}

export interface AuthCallback {
  /** The auth client is exchanging the code for a session. */
  pending: boolean;
  /** Error code. */
  error?: string;
}

/** Parses the callback of a provider or mail link. The query wins over the fragment. */
export function parseCallback(search: string, hash: string): AuthCallback | undefined {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const error = query.get('error_code') ?? fragment.get('error_code') ?? query.get('error') ?? undefined;
  if (error) return { pending: false, error };
  if (!query.has('code')) return undefined;
  return hasAuthCallback ? { pending: true } : { pending: false, error: 'not_ours' };
}

/** Message of a callback error. */
export function callbackErrorText(code: string | undefined): string {
  for (const key of [`public:provider.${code}`, `errors:${code}`]) {
    if (code && i18next.exists(key)) return i18next.t(key);
  }
  return i18next.t('public:provider.failed');
}

/** Not an error: staff must approve first. */
export const isPendingApproval = (code: string | undefined) => code === 'account_requested';

/** Completes sign-in on the login form with a code. */
export async function completeProviderSignIn(portal: Portal): Promise<SignInOutcome> {
  const outcome = await exchangeCode(portal);
  restorePersistenceAfterRedirect(!outcome.problem);
  return outcome;
}

async function exchangeCode(portal: Portal): Promise<SignInOutcome> {
  const auth = await loadAuth();
  const { error } = await auth.initialize();
  if (error)
    return showSignInError(portal, {
      text: error.code ? authErrorText(error).text : callbackErrorText(undefined),
    });
  if (await accessToken().catch(() => undefined)) return enterPortal(portal);
  return showSignInError(portal, { text: callbackErrorText(undefined) });
}
