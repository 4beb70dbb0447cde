/** Signing in at Google or Microsoft: there, and the way back. */
import i18next from 'i18next';
import { authErrorText } from '../../../shared/auth/authErrorText';
import { restorePersistenceAfterRedirect, setSessionPersistenceForRedirect } from '../../../api/sessionStorage';
import { accessToken, auth, hasAuthCallback } from '../../../api/session';
import { paths, type Portal } from '../../../paths';
import { enterPortal, showSignInError, type SignInOutcome } from './signIn';

/** As the button calls it, and as the wire does. */
export const providerIds = { google: 'google', microsoft: 'azure' } as const;
export type Provider = keyof typeof providerIds;

/** Leaves for the provider, which sends the person back to the same form. */
export async function redirectToProvider(provider: Provider, portal: Portal, remember: boolean): Promise<void> {
  setSessionPersistenceForRedirect(remember);
  await auth.signInWithOAuth({
    provider: providerIds[provider],
    options: { redirectTo: location.origin + paths.login(portal) },
  });
}

export interface AuthCallback {
  /** A session is being fetched for the code in the address. */
  brings: boolean;
  /** Why there will be none. */
  refused?: string;
}

/** What an address that a provider or a mail's link led to says. The query wins over the fragment. */
export function parseCallback(search: string, hash: string): AuthCallback | undefined {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const refused = query.get('error_code') ?? fragment.get('error_code') ?? query.get('error') ?? undefined;
  if (refused) return { brings: false, refused };
  if (!query.has('code')) return undefined;
  return hasAuthCallback ? { brings: true } : { brings: false, refused: 'not_ours' };
}

/** Kind words for a way back that brought nothing. */
export function callbackErrorText(code: string | undefined): string {
  for (const key of [`public:provider.${code}`, `errors:${code}`]) {
    if (code && i18next.exists(key)) return i18next.t(key);
  }
  return i18next.t('public:provider.failed');
}

/** Nothing went wrong: somebody else has to act now. */
export const isPendingApproval = (code: string | undefined) => code === 'account_requested';

/** Back at the form with a code: the auth client is exchanging it for a session. */
export async function completeProviderSignIn(portal: Portal): Promise<SignInOutcome> {
  const outcome = await exchangeCode(portal);
  restorePersistenceAfterRedirect(!outcome.problem);
  return outcome;
}

async function exchangeCode(portal: Portal): Promise<SignInOutcome> {
  const { error } = await auth.initialize();
  if (error) return showSignInError(portal, { text: error.code ? authErrorText(error).text : callbackErrorText(undefined) });
  if (await accessToken().catch(() => undefined)) return enterPortal(portal);
  return showSignInError(portal, { text: callbackErrorText(undefined) });
}
