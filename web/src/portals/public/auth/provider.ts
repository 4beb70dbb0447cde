/** Signing in at Google or Microsoft: there, and the way back. */
import i18next from 'i18next';
import { authProblem } from '../../../shared/auth/authErrorText';
import { cameBack, rememberSessionAfterwards } from '../../../api/sessionStorage';
import { accessToken, auth, bringsSession } from '../../../api/session';
import { paths, type Portal } from '../../../paths';
import { enter, failed, type Outcome } from './signIn';

/** As the button calls it, and as the wire does. */
export const wireNames = { google: 'google', microsoft: 'azure' } as const;
export type Provider = keyof typeof wireNames;

/** Leaves for the provider, which sends the person back to the same form. */
export async function leaveFor(provider: Provider, portal: Portal, remember: boolean): Promise<void> {
  rememberSessionAfterwards(remember);
  await auth.signInWithOAuth({
    provider: wireNames[provider],
    options: { redirectTo: location.origin + paths.login(portal) },
  });
}

export interface WayBack {
  /** A session is being fetched for the code in the address. */
  brings: boolean;
  /** Why there will be none. */
  refused?: string;
}

/** What an address that a provider or a mail's link led to says. The query wins over the fragment. */
export function readWayBack(search: string, hash: string): WayBack | undefined {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const refused = query.get('error_code') ?? fragment.get('error_code') ?? query.get('error') ?? undefined;
  if (refused) return { brings: false, refused };
  if (!query.has('code')) return undefined;
  return bringsSession ? { brings: true } : { brings: false, refused: 'not_ours' };
}

/** Kind words for a way back that brought nothing. */
export function refusalText(code: string | undefined): string {
  for (const key of [`public:provider.${code}`, `errors:${code}`]) {
    if (code && i18next.exists(key)) return i18next.t(key);
  }
  return i18next.t('public:provider.failed');
}

/** Nothing went wrong: somebody else has to act now. */
export const isAnswer = (code: string | undefined) => code === 'account_requested';

/** Back at the form with a code: the auth client is exchanging it for a session. */
export async function comeBack(portal: Portal): Promise<Outcome> {
  const outcome = await arrive(portal);
  cameBack(!outcome.problem);
  return outcome;
}

async function arrive(portal: Portal): Promise<Outcome> {
  const { error } = await auth.initialize();
  if (error) return failed(portal, { text: error.code ? authProblem(error).text : refusalText(undefined) });
  if (await accessToken().catch(() => undefined)) return enter(portal);
  return failed(portal, { text: refusalText(undefined) });
}
