import i18next from 'i18next';
import { redirect, type LoaderFunctionArgs, type ShouldRevalidateFunctionArgs } from 'react-router-dom';
import { toAppPath } from '../../basePath';
import { queryClient } from '../../api/cache';
import { isStatus } from '../../api/errors';
import { meQuery, settingsQuery } from '../../api/sessionQueries';
import { accessToken, signOut } from '../../api/session';
import type { Me, Role } from '../../api/types';
import { homePath, paths } from '../../paths';
import { loadPortalMessages } from '../../messages';
import { setLocale } from '../../messages/locale';
import { toast } from '../../ui/toasts';
import { saveReturnPath } from '../returnPath';
import { returnTo, withReturnTo, nextRequirement } from './requirements';
import { applyPreferences, applyLanguage } from './applyPreferences';

/** Route `handle` of pages that need a session. */
export const guardedHandle = { guarded: true };

/** Portal loader: returns the user of an allowed role; denies others and redirects to the landing page. */
export function requireRole(...roles: Role[]) {
  return roleLoader(roles);
}

/** [requireRole] with a redirect for other roles. */
export function requireRoleOrRedirect(roles: Role[], elsewhere: (role: Role) => string) {
  return roleLoader(roles, elsewhere);
}

function roleLoader(roles: Role[], elsewhere?: (role: Role) => string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { pathname, search } = new URL(request.url);
    const page = (toAppPath(pathname) ?? pathname) + search;
    if (!(await accessToken())) {
      saveReturnPath(page);
      throw redirect(paths.landing);
    }
    // Public settings are part of the layout, so they load with the page.
    const settings = queryClient.prefetchQuery({ ...settingsQuery(), retry: false });
    const me = await loadOrDeny(queryClient.ensureQueryData(meQuery()));
    if (!roles.includes(me.role) && elsewhere) throw redirect(elsewhere(me.role));
    if (!roles.includes(me.role)) throw await deny('common:denied.dashboard');
    const step = nextRequirement(me);
    if (step) throw redirect(withReturnTo(step, page));
    // Not the time zone: the portal layout sets it.
    await Promise.all([applyLanguage(me), settings, loadPortalMessages()]);
    const office = queryClient.getQueryData(settingsQuery().queryKey);
    if (office) setLocale({ officeTimeZone: office.time_zone });
    return me;
  };
}

/** Loader of a requirement page: redirects once it is met. */
export function requireStep(step: string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { search } = new URL(request.url);
    const next = returnTo(search);
    if (!(await accessToken())) {
      if (next) saveReturnPath(next);
      throw redirect(paths.landing);
    }
    const me = await loadOrDeny(queryClient.fetchQuery({ ...meQuery(), staleTime: 0 }));
    const due = nextRequirement(me);
    const goal = next ?? homePath(me.role);
    if (due !== step) throw redirect(due ? withReturnTo(due, goal) : goal);
    await applyPreferences(me);
    return me;
  };
}

/** Query and tab changes on the same page do not rerun the guard. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  return currentUrl.search === nextUrl.search ? defaultShouldRevalidate : false;
}

async function loadOrDeny(me: Promise<Me>): Promise<Me> {
  try {
    return await me;
  } catch (error) {
    if (isStatus(error, 401, 403, 404)) throw await deny('common:denied.profile');
    throw error;
  }
}

async function deny(reason: string): Promise<Response> {
  toast({ title: i18next.t('common:denied.title'), description: i18next.t(reason), destructive: true });
  await signOut();
  queryClient.clear();
  return redirect(paths.landing);
}
