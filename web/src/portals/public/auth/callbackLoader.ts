import { redirect, type LoaderFunctionArgs } from 'react-router-dom';
import { currentPath } from '../../../basePath';
import { queryClient } from '../../../api/cache';
import { meQuery } from '../../../api/sessionQueries';
import { loadAuth } from '../../../api/session';
import { homePath, paths } from '../../../paths';
import { parseCallback } from './provider';

/** Loader of the landing page: forwards provider and mail link callbacks with a session or error in the URL. */
export async function callbackLoader({ request }: LoaderFunctionArgs): Promise<Response | null> {
  // The request of a loader has no fragment.
  const { search } = new URL(request.url);
  const back = parseCallback(search, currentPath() === paths.landing ? location.hash : '');
  if (!back) return null;
  if (back.error) return redirect(`${paths.portalSelector}?error_code=${encodeURIComponent(back.error)}`);
  const { error } = await (await loadAuth()).initialize();
  const me = error ? undefined : await queryClient.fetchQuery(meQuery()).catch(() => undefined);
  return redirect(me ? homePath(me.role) : `${paths.portalSelector}?error_code=bad_oauth_callback`);
}
