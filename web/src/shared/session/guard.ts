import i18next from 'i18next';
import { redirect, type LoaderFunctionArgs, type ShouldRevalidateFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { isStatus } from '../../api/errors';
import { queries } from '../../api/queries';
import { accessToken, signOut } from '../../api/session';
import type { Me, Role } from '../../api/types';
import { homePath, paths } from '../../paths';
import { setLocale } from '../../messages/locale';
import { toast } from '../../ui/toasts';
import { saveReturnPath } from '../returnPath';
import { returnTo, withReturnTo, nextRequirement } from './requirements';
import { applyPreferences, applyLanguage } from './applyPreferences';

/** The `handle` of every route that is for signed-in people only. */
export const guardedHandle = { guarded: true };

/** The loader of a portal: lets the named roles in and answers who they are. Everyone else leaves for the landing page. */
export function requireRole(...roles: Role[]) {
  return roleLoader(roles);
}

/** The same, where others have a page of their own to be led to. */
export function requireRoleOrRedirect(roles: Role[], elsewhere: (role: Role) => string) {
  return roleLoader(roles, elsewhere);
}

function roleLoader(roles: Role[], elsewhere?: (role: Role) => string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { pathname, search } = new URL(request.url);
    if (!(await accessToken())) {
      saveReturnPath(pathname + search);
      throw redirect(paths.landing);
    }
    // What the operator has set is part of every page's frame: it comes with the page, not after it.
    const settings = queryClient.prefetchQuery({ ...queries.settings(), retry: false });
    const me = await loadOrDeny(queryClient.ensureQueryData(queries.me()));
    if (!roles.includes(me.role) && elsewhere) throw redirect(elsewhere(me.role));
    if (!roles.includes(me.role)) throw await deny('common:denied.dashboard');
    const step = nextRequirement(me);
    if (step) throw redirect(withReturnTo(step, pathname + search));
    // Not the person's clock: which one counts, the portal's frame knows.
    await Promise.all([applyLanguage(me), settings]);
    const office = queryClient.getQueryData(queries.settings().queryKey);
    if (office) setLocale({ officeTimeZone: office.time_zone });
    return me;
  };
}

/** The loader of a page for one thing that must be done first: whoever has done it is led on. */
export function requireStep(step: string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { search } = new URL(request.url);
    const next = returnTo(search);
    if (!(await accessToken())) {
      if (next) saveReturnPath(next);
      throw redirect(paths.landing);
    }
    const me = await loadOrDeny(queryClient.fetchQuery({ ...queries.me(), staleTime: 0 }));
    const due = nextRequirement(me);
    const goal = next ?? homePath(me.role);
    if (due !== step) throw redirect(due ? withReturnTo(due, goal) : goal);
    await applyPreferences(me);
    return me;
  };
}

/** A search or another tab of the same page lets nobody else in: the guard is not asked again. */
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
