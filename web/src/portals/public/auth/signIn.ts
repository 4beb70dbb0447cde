import i18next from 'i18next';
import { api, body } from '../../../api/client';
import { ApiError, errorText } from '../../../api/errors';
import { loadAuth, signOut } from '../../../api/session';
import { loadPortalMessages } from '../../../messages';
import { authErrorText, type Problem } from '../../../shared/auth/authErrorText';
import { PasskeyCancelled, signInWithPasskey } from '../../../shared/auth/passkeys';
import { withReturnTo, nextRequirement } from '../../../shared/session/requirements';
import { setSessionPersistence } from '../../../api/sessionStorage';
import { clearReturnPath, readReturnPath } from '../../../shared/returnPath';
import { paths, type Portal } from '../../../paths';
import { clearToast, toast } from '../../../ui/toasts';
import { postSignInPath, denialReason } from './portalAccess';

export interface Credentials {
  email: string;
  password: string;
  remember: boolean;
}

/** Refusals of a passkey that the person chose: another one may work. */
const REFUSED_PASSKEY = [
  'webauthn_verification_failed',
  'webauthn_challenge_expired',
  'user_banned',
  'email_not_confirmed',
];

/** Sign-in with a passkey; undefined if the person chose none. `retry`: another passkey may work. */
export async function signInByPasskey(
  portal: Portal,
  remember: () => boolean,
  mediation?: CredentialMediationRequirement,
): Promise<(SignInOutcome & { retry?: boolean }) | undefined> {
  try {
    await signInWithPasskey({ mediation, onChosen: () => setSessionPersistence(remember()) });
  } catch (error) {
    if (error instanceof PasskeyCancelled) return undefined;
    const retry = error instanceof ApiError && REFUSED_PASSKEY.includes(error.code);
    // Suggestions that cannot be offered are no failure of the person.
    if (mediation === 'conditional' && !retry) return undefined;
    const seconds = error instanceof ApiError ? Number(error.params.seconds) : 0;
    const problem = { text: errorText(error), wait: seconds > 0 ? seconds : undefined };
    return { ...showSignInError(portal, problem), retry };
  }
  return enterPortal(portal);
}

export type SignInOutcome = { path: string; problem?: undefined } | { path?: undefined; problem: Problem };

/** Password sign-in: checks portal access, shows a toast and returns the next path. */
export async function signIn(
  portal: Portal,
  { email, password, remember }: Credentials,
): Promise<SignInOutcome> {
  const undo = setSessionPersistence(remember);
  try {
    const [auth] = await Promise.all([loadAuth(), loadPortalMessages()]);
    const { error } = await auth.signInWithPassword({ email, password });
    if (!error) return await enterPortal(portal);
    undo();
    return showSignInError(portal, authErrorText(error));
  } catch (error) {
    // Browser errors are not auth errors; they must not leave the form busy.
    undo();
    return showSignInError(portal, { text: errorText(error) });
  }
}

/** Checks portal access of a new session, from password or provider. */
export async function enterPortal(portal: Portal): Promise<SignInOutcome> {
  // Bypasses the query cache, which may hold the previous user.
  const result = await body(api.GET('/rest/v1/me')).then(
    (me) => ({ me, text: undefined }),
    (reason: unknown) => ({ me: undefined, text: errorText(reason) }),
  );
  if (!result.me) {
    await signOut();
    return showSignInError(portal, { text: result.text });
  }

  const denied = denialReason(portal, result.me);
  if (denied) {
    await signOut();
    const text = i18next.t(`public:denied.${denied}`);
    toast({ title: i18next.t('common:denied.title'), description: text, destructive: true });
    return { problem: { text } };
  }

  clearToast();
  const path = postSignInPath(portal, result.me, readReturnPath());
  clearReturnPath();
  const step = nextRequirement(result.me);
  if (step) return { path: withReturnTo(step, path) };
  showGreeting(path);
  return { path };
}

const PORTAL_GREETINGS = [
  [paths.employeeDashboard, 'employee'],
  [paths.companyDashboard, 'company'],
] as const;

/** Welcome toast of the staff portals. */
export function showGreeting(path: string): void {
  const portal = PORTAL_GREETINGS.find(([home]) => path.startsWith(home))?.[1];
  if (!portal) return;
  toast({ title: i18next.t('public:welcome.title'), description: i18next.t(`public:welcome.${portal}`) });
}

export function showSignInError(portal: Portal, problem: Problem): SignInOutcome {
  const staff = portal === 'employee' || portal === 'company';
  const text = problem.text || (staff ? i18next.t('public:problem.credentials') : '');
  toast({ title: i18next.t('public:login.failed'), description: text, destructive: true });
  return { problem: { ...problem, text } };
}
