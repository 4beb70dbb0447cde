import i18next from 'i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { auth, signOut } from '../../../api/session';
import { authProblem, type Problem } from '../../../shared/auth/authErrorText';
import { before, nextStep } from '../../../shared/session/requirements';
import { rememberSession } from '../../../api/sessionStorage';
import { forgetWantedPath, wantedPath } from '../../../shared/returnPath';
import { paths, type Portal } from '../../../paths';
import { clearToast, toast } from '../../../ui/toasts';
import { destination, refusal } from './portalAccess';

export interface Credentials {
  email: string;
  password: string;
  remember: boolean;
}

export type Outcome = { path: string; problem?: undefined } | { path?: undefined; problem: Problem };

/** Signs in and asks the portal's gate; tells how it went by toast, and what to do next by its answer. */
export async function signIn(portal: Portal, { email, password, remember }: Credentials): Promise<Outcome> {
  const undo = rememberSession(remember);
  try {
    const { error } = await auth.signInWithPassword({ email, password });
    if (!error) return await enter(portal);
    undo();
    return failed(portal, authProblem(error));
  } catch (error) {
    // The browser's own refusals are no errors of the auth client: a form that waits for ever says nothing.
    undo();
    return failed(portal, { text: errorText(error) });
  }
}

/** The portal's gate, for whoever has a session: by password, or back from a provider. */
export async function enter(portal: Portal): Promise<Outcome> {
  // Not from the query cache: it may still be emptied of the person before.
  const answer = await body(api.GET('/rest/v1/me')).then(
    (me) => ({ me, text: undefined }),
    (reason: unknown) => ({ me: undefined, text: errorText(reason) }),
  );
  if (!answer.me) {
    await signOut();
    return failed(portal, { text: answer.text });
  }

  const refused = refusal(portal, answer.me);
  if (refused) {
    await signOut();
    const text = i18next.t(`public:denied.${refused}`);
    toast({ title: i18next.t('common:denied.title'), description: text, destructive: true });
    return { problem: { text } };
  }

  clearToast();
  const path = destination(portal, answer.me, wantedPath());
  forgetWantedPath();
  const step = nextStep(answer.me);
  if (step) return { path: before(step, path) };
  welcome(path);
  return { path };
}

const welcomes = [
  [paths.employeeDashboard, 'employee'],
  [paths.companyDashboard, 'company'],
] as const;

/** Said once somebody is really in: the staff portals greet by toast. */
export function welcome(path: string): void {
  const portal = welcomes.find(([home]) => path.startsWith(home))?.[1];
  if (!portal) return;
  toast({ title: i18next.t('public:welcome.title'), description: i18next.t(`public:welcome.${portal}`) });
}

export function failed(portal: Portal, problem: Problem): Outcome {
  const staff = portal === 'employee' || portal === 'company';
  const text = problem.text || (staff ? i18next.t('public:problem.credentials') : '');
  toast({ title: i18next.t('public:login.failed'), description: text, destructive: true });
  return { problem: { ...problem, text } };
}
