import i18next from 'i18next';
import { redirect, type LoaderFunctionArgs, type ShouldRevalidateFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { isStatus } from '../../api/errors';
import { queries } from '../../api/queries';
import { accessToken, signOut } from '../../api/session';
import type { Me, Role } from '../../api/types';

import { getLocale, setLanguage, setLocale } from '../../messages/locale';
import { paths } from '../../paths';
import { toast } from '../../ui/toasts';
import { rememberWantedPath } from '../wantedPath';

/** The loader of a portal: lets the named roles in and answers who they are. Everyone else leaves for the landing page. */
export function admit(...roles: Role[]) {
  return async ({ request }: LoaderFunctionArgs): Promise<Me> => {
    if (!(await accessToken())) {
      const { pathname, search } = new URL(request.url);
      rememberWantedPath(pathname + search);
      throw redirect(paths.landing);
    }
    const me = await loadMe();
    if (!roles.includes(me.role)) throw await deny('common:denied.dashboard');
    if (me.must_change_password) throw redirect(paths.resetPassword);
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

async function loadMe(): Promise<Me> {
  try {
    return await queryClient.ensureQueryData(queries.me());
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

/** The person's own language and time zone win over the browser's. */
async function follow(me: Me): Promise<void> {
  if (me.language !== getLocale().language) await setLanguage(me.language);
  setLocale({ timeZone: me.time_zone });
}
