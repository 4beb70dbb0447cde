import i18next from 'i18next';
import { redirect, type LoaderFunctionArgs, type ShouldRevalidateFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { isStatus } from '../../api/errors';
import { queries } from '../../api/queries';
import { accessToken, signOut } from '../../api/session';
import type { Me, Role } from '../../api/types';
import { homeOf, paths } from '../../paths';
import { setLocale } from '../../messages/locale';
import { toast } from '../../ui/toasts';
import { rememberWantedPath } from '../returnPath';
import { afterwards, before, nextStep } from './requirements';
import { follow, followLanguage } from './applyPreferences';

/** The `handle` of every route that is for signed-in people only. */
export const guarded = { guarded: true };

/** The loader of a portal: lets the named roles in and answers who they are. Everyone else leaves for the landing page. */
export function admit(...roles: Role[]) {
  return entrance(roles);
}

/** The same, where others have a page of their own to be led to. */
export function admitOrLead(roles: Role[], elsewhere: (role: Role) => string) {
  return entrance(roles, elsewhere);
}

function entrance(roles: Role[], elsewhere?: (role: Role) => string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { pathname, search } = new URL(request.url);
    if (!(await accessToken())) {
      rememberWantedPath(pathname + search);
      throw redirect(paths.landing);
    }
    // What the operator has set is part of every page's frame: it comes with the page, not after it.
    const settings = queryClient.prefetchQuery({ ...queries.settings(), retry: false });
    const me = await orDeny(queryClient.ensureQueryData(queries.me()));
    if (!roles.includes(me.role) && elsewhere) throw redirect(elsewhere(me.role));
    if (!roles.includes(me.role)) throw await deny('common:denied.dashboard');
    const step = nextStep(me);
    if (step) throw redirect(before(step, pathname + search));
    // Not the person's clock: which one counts, the portal's frame knows.
    await Promise.all([followLanguage(me), settings]);
    const office = queryClient.getQueryData(queries.settings().queryKey);
    if (office) setLocale({ officeTimeZone: office.time_zone });
    return me;
  };
}

/** The loader of a page for one thing that must be done first: whoever has done it is led on. */
export function admitTo(step: string) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    const { search } = new URL(request.url);
    const next = afterwards(search);
    if (!(await accessToken())) {
      if (next) rememberWantedPath(next);
      throw redirect(paths.landing);
    }
    const me = await orDeny(queryClient.fetchQuery({ ...queries.me(), staleTime: 0 }));
    const due = nextStep(me);
    const goal = next ?? homeOf(me.role);
    if (due !== step) throw redirect(due ? before(due, goal) : goal);
    await follow(me);
    return me;
  };
}

/** A search or another tab of the same page lets nobody else in: the guard is not asked again. */
export function admitAgain({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  return currentUrl.search === nextUrl.search ? defaultShouldRevalidate : false;
}

async function orDeny(me: Promise<Me>): Promise<Me> {
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
