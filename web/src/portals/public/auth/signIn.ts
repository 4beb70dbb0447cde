import i18next from 'i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { auth, signOut } from '../../../api/session';
import { rememberSession } from '../../../shared/sessionPlace';
import { forgetWantedPath, wantedPath } from '../../../shared/wantedPath';
import type { Portal } from '../../../paths';
import { toast } from '../../../ui/toasts';
import { destination, refusal } from './gate';
import { authProblem, type Problem } from '../../../shared/auth/problem';

export interface Credentials {
  email: string;
  password: string;
  remember: boolean;
}

type Outcome = { path: string; problem?: undefined } | { path?: undefined; problem: Problem };

/** Signs in and asks the portal's gate; tells how it went by toast, and what to do next by its answer. */
export async function signIn(portal: Portal, { email, password, remember }: Credentials): Promise<Outcome> {
  rememberSession(remember);
  const { error } = await auth.signInWithPassword({ email, password });
  if (error) return failed(authProblem(error), portal);

  // Not from the query cache: it may still be emptied of the person before.
  const answer = await body(api.GET('/rest/v1/me')).then(
    (me) => ({ me, text: undefined }),
    (reason: unknown) => ({ me: undefined, text: errorText(reason) }),
  );
  if (!answer.me) {
    await signOut();
    return failed({ text: answer.text }, portal);
  }

  const refused = refusal(portal, answer.me);
  if (refused) {
    await signOut();
    const text = i18next.t(`public:denied.${refused}`);
    toast({ title: i18next.t('common:denied.title'), description: text, destructive: true });
    return { problem: { text } };
  }

  const path = destination(portal, answer.me, wantedPath());
  forgetWantedPath();
  if (portal === 'employee' || portal === 'company') {
    toast({ title: i18next.t('public:welcome.title'), description: i18next.t(`public:welcome.${portal}`) });
  }
  return { path };
}

function failed(problem: Problem, portal: Portal): Outcome {
  const staff = portal === 'employee' || portal === 'company';
  const text = problem.text || (staff ? i18next.t('public:problem.credentials') : '');
  toast({ title: i18next.t('public:login.failed'), description: text, destructive: true });
  return { problem: { ...problem, text } };
}
