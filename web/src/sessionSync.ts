import type { AuthChangeEvent } from '@supabase/auth-js';
import i18next from 'i18next';
import { toAppPath } from './basePath';
import { queryClient } from './api/cache';
import { onRequirement } from './api/client';
import { connection } from './api/connection';
import { meQuery } from './api/sessionQueries';
import { hasAuthCallback, isSigningOut, onAuthLoaded } from './api/session';
import { paths } from './paths';
import { isGuarded, type Router } from './routes';
import { withReturnTo as beforePath, nextRequirement } from './shared/session/requirements';
import { SESSION_KEY, sessionOwner } from './api/sessionStorage';
import { clearDrafts } from './shared/drafts';
import { isStorageLimited } from './api/browserStorage';
import { clearRecentPages } from './shared/shell/recentPages';
import { clearUnsaved } from './ui/unsavedChanges';
import { notice, toast } from './ui/toasts';

/**
 * Session sync: keeps this tab in line with sign-in, sign-out and account changes in any tab. Data of one user is never
 * shown to the next.
 */
export function syncSession(router: Router): () => void {
  let user: string | undefined;
  let stopEvents: (() => void) | undefined;
  // The code in the URL may belong to a password recovery.
  let cameWithCode = hasAuthCallback;

  /** Compares the stored session with the known user; returns whether the user is unchanged. */
  const detectUserChange = (): boolean => {
    const owner = sessionOwner();
    if (owner === user) return true;
    const before = user;
    user = owner;
    // On every sign-in: the session of another user may have ended without a sign-out.
    if (user) clearDrafts(user);
    stopEvents?.();
    stopEvents = user ? startEvents() : undefined;
    if (before && !user && !isSigningOut()) notifySessionEnded();
    if (user && isStorageLimited()) notifyStorageLimited();
    // Deferred: the auth client waits for its listeners, which would deadlock.
    if (before) setTimeout(() => void resetForUser(router, user), 0);
    return false;
  };

  /** Restarts the event stream: it waited for a requirement, and its backoff may be long. */
  const restartEvents = () => {
    if (!user) return;
    stopEvents?.();
    stopEvents = startEvents();
  };

  const onAuthEvent = (event: AuthChangeEvent) => {
    // Ignores focus changes and token refreshes, which change nothing visible.
    if (detectUserChange() && user && changesAccount(event)) {
      setTimeout(() => void revalidateUser(router).then(restartEvents), 0);
    }
    if (event === 'PASSWORD_RECOVERY' && cameWithCode) {
      setTimeout(() => void router.navigate(paths.resetPassword, { replace: true }), 0);
    }
    if (event !== 'INITIAL_SESSION') cameWithCode = false;
  };
  let unsubscribe: (() => void) | undefined;
  const stopWaiting = onAuthLoaded((auth) => {
    const { subscription } = auth.onAuthStateChange(onAuthEvent).data;
    unsubscribe = () => subscription.unsubscribe();
  });
  // The storage event may arrive before the auth event of another tab.
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== SESSION_KEY && key !== null) return;
    if (detectUserChange() && user && isOnRequirementPage(router))
      void revalidateUser(router).then(restartEvents);
  };
  addEventListener('storage', onStorage);
  const stopSteps = onRequirement(() => void goToRequirement(router));
  const stopConnection = refetchOnReconnect(router);
  return () => {
    stopEvents?.();
    removeEventListener('storage', onStorage);
    stopSteps();
    stopConnection();
    stopWaiting();
    unsubscribe?.();
  };
}

/** Starts the event stream, which visitors do not load. */
function startEvents(): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  const start = async () => {
    const events = await import('./api/events');
    if (!isOver) stop = events.startEvents(isFullyAuthenticated);
  };
  // A chunk that cannot be loaded: the next page load tries again.
  start().catch(() => undefined);
  return () => {
    isOver = true;
    stop?.();
  };
}

/** A changed name, email or password, or a verified factor, in any tab. */
function changesAccount(event: AuthChangeEvent): boolean {
  return event === 'USER_UPDATED' || event === 'MFA_CHALLENGE_VERIFIED';
}

/** The server sends no events before MFA and password change are done. */
async function isFullyAuthenticated(): Promise<boolean> {
  const question = { ...meQuery(), retry: false };
  let me = await queryClient.ensureQueryData(question).catch(() => undefined);
  // The requirement may have been met or lifted. Fully authenticated users do not wait for the request.
  if (me && nextRequirement(me)) me = await queryClient.fetchQuery(question).catch(() => undefined);
  return !me || !nextRequirement(me);
}

/** On a page for a requirement that another tab may complete. */
function isOnRequirementPage({ state }: Router): boolean {
  // Not during MFA enrolment: its recovery codes are still to be shown.
  return [paths.mfa, paths.newPassword].some((step) => step === toAppPath(state.location.pathname));
}

let revalidation = Promise.resolve();

/**
 * Serialized: the event of another tab arrives twice, the first time possibly before its token is stored, and a request
 * in flight would be shared with the old token.
 */
function revalidateUser(router: Router): Promise<void> {
  revalidation = revalidation.then(async () => {
    const { queryKey } = meQuery();
    await queryClient
      .getQueryCache()
      .find({ queryKey })
      ?.promise?.catch(() => undefined);
    await queryClient.invalidateQueries({ queryKey });
    if (isOnRequirementPage(router)) await router.revalidate();
  });
  return revalidation;
}

/** Session ended by the server (suspended, signed out elsewhere, new password): shows the reason. */
function notifySessionEnded(): void {
  const title = i18next.t('common:logged_out.title');
  toast({ title, description: i18next.t('errors:session_not_found'), destructive: true });
}

let storageNotified = false;

/** Shows once that the session cannot be stored permanently. */
function notifyStorageLimited(): void {
  if (storageNotified) return;
  storageNotified = true;
  const texts = { title: i18next.t('common:storage.title'), description: i18next.t('common:storage.text') };
  notice(texts, 15_000);
}

async function resetForUser(router: Router, nextUser: string | undefined): Promise<void> {
  // The user is gone, so unsaved changes ask nothing.
  clearUnsaved();
  if (isGuarded(router) && !nextUser) {
    await router.navigate(paths.landing, { replace: true });
    await waitForUnmount();
  }
  queryClient.clear();
  clearRecentPages();
  if (nextUser) await router.revalidate();
}

/** Waits until the left page is unmounted: its queries would refetch from the cleared cache. */
async function waitForUnmount(): Promise<void> {
  const cache = queryClient.getQueryCache();
  for (let tries = 0; tries < 60 && cache.findAll({ type: 'active' }).length > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
}

/** Redirects to the required step. Many calls may report it at once. */
async function goToRequirement(router: Router): Promise<void> {
  const me = await queryClient.fetchQuery({ ...meQuery(), staleTime: 0 }).catch(() => undefined);
  const step = me && nextRequirement(me);
  const { pathname, search } = router.state.location;
  const page = toAppPath(pathname);
  if (step && page && isGuarded(router) && !page.startsWith('/auth/')) {
    clearUnsaved();
    await router.navigate(beforePath(step, page + search), { replace: true });
  }
}

/** Refetches everything on the screen on reconnect. */
function refetchOnReconnect(router: Router): () => void {
  return connection.subscribe(() => {
    if (connection.isLost) return;
    notice({ title: i18next.t('common:connection.back') });
    void queryClient.invalidateQueries();
    if (router.state.errors) void router.revalidate();
  });
}
