import type { AuthChangeEvent } from '@supabase/auth-js';
import i18next from 'i18next';
import { queryClient } from './api/cache';
import { onRequirement } from './api/client';
import { connection } from './api/connection';
import { startEvents } from './api/events';
import { queries } from './api/queries';
import { auth, hasAuthCallback, isSigningOut } from './api/session';
import { paths } from './paths';
import { isGuarded, type Router } from './routes';
import { withReturnTo as beforePath, nextRequirement } from './shared/session/requirements';
import { SESSION_KEY, sessionOwner } from './api/sessionStorage';
import { isStorageLimited } from './api/browserStorage';
import { clearUnsaved } from './ui/unsavedChanges';
import { notice, toast } from './ui/toasts';

/** What one person saw is never shown to the next, in this tab or in another one. */
export function syncSession(router: Router): () => void {
  let user: string | undefined;
  let stopEvents: (() => void) | undefined;
  // The code that this page was opened with may be one of a recovery.
  let cameWithCode = hasAuthCallback;

  /** Compares with what this tab's own place holds; answers whether it is the same person as before. */
  const detectUserChange = (): boolean => {
    const owner = sessionOwner();
    if (owner === user) return true;
    const before = user;
    user = owner;
    stopEvents?.();
    stopEvents = user ? startEvents(isFullyAuthenticated) : undefined;
    if (before && !user && !isSigningOut()) notifySessionEnded();
    if (user && isStorageLimited()) notifyStorageLimited();
    // Not at once: the auth client waits for whoever listens to it.
    if (before) setTimeout(() => void resetForUser(router, user), 0);
    return false;
  };

  /** Nothing was told to whoever owed a second factor or a password, and the next attempt may be far. */
  const restartEvents = () => {
    if (!user) return;
    stopEvents?.();
    stopEvents = startEvents(isFullyAuthenticated);
  };

  const { data } = auth.onAuthStateChange((event) => {
    // Mostly the tab was looked at again, or a token renewed: nothing that can be seen has changed.
    if (detectUserChange() && user && changesAccount(event)) {
      setTimeout(() => void revalidateUser(router).then(restartEvents), 0);
    }
    if (event === 'PASSWORD_RECOVERY' && cameWithCode) {
      setTimeout(() => void router.navigate(paths.resetPassword, { replace: true }), 0);
    }
    if (event !== 'INITIAL_SESSION') cameWithCode = false;
  });
  // Another tab's word may be here before what it has stored.
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== SESSION_KEY && key !== null) return;
    if (detectUserChange() && user && isOnRequirementPage(router)) void revalidateUser(router).then(restartEvents);
  };
  addEventListener('storage', onStorage);
  const stopSteps = onRequirement(() => void goToRequirement(router));
  const stopConnection = refetchOnReconnect(router);
  return () => {
    stopEvents?.();
    removeEventListener('storage', onStorage);
    stopSteps();
    stopConnection();
    data.subscription.unsubscribe();
  };
}

/** A new name, address or password, or a second factor shown: here or in another tab. */
function changesAccount(event: AuthChangeEvent): boolean {
  return event === 'USER_UPDATED' || event === 'MFA_CHALLENGE_VERIFIED';
}

/** The server tells nothing to whoever has to show a second factor or to choose a password first. */
async function isFullyAuthenticated(): Promise<boolean> {
  const question = { ...queries.me(), retry: false };
  let me = await queryClient.ensureQueryData(question).catch(() => undefined);
  // What is owed may have been done, or be no longer asked for. Whoever owes nothing does not wait for an answer.
  if (me && nextRequirement(me)) me = await queryClient.fetchQuery(question).catch(() => undefined);
  return !me || !nextRequirement(me);
}

/** On a page for something that may be done in another tab as well. */
function isOnRequirementPage({ state }: Router): boolean {
  // Not while a second factor is being set up: its recovery codes are still to be seen.
  return [paths.mfa, paths.newPassword].some((step) => step === state.location.pathname);
}

let revalidation = Promise.resolve();

/**
 * One look after the other: another tab's word comes twice, the first time maybe before the token that it is about, and
 * a question that is still out would be shared by the second look, and answered to the old token.
 */
function revalidateUser(router: Router): Promise<void> {
  revalidation = revalidation.then(async () => {
    const { queryKey } = queries.me();
    await queryClient
      .getQueryCache()
      .find({ queryKey })
      ?.promise?.catch(() => undefined);
    await queryClient.invalidateQueries({ queryKey });
    if (isOnRequirementPage(router)) await router.revalidate();
  });
  return revalidation;
}

/** Suspended, signed out elsewhere, a new password: whoever is led away from a page is told why. */
function notifySessionEnded(): void {
  const title = i18next.t('common:logged_out.title');
  toast({ title, description: i18next.t('errors:session_not_found'), destructive: true });
}

let storageNotified = false;

/** The session is not stored as it should be: said once, while it still holds. */
function notifyStorageLimited(): void {
  if (storageNotified) return;
  storageNotified = true;
  const texts = { title: i18next.t('common:storage.title'), description: i18next.t('common:storage.text') };
  notice(texts, 15_000);
}

async function resetForUser(router: Router, nextUser: string | undefined): Promise<void> {
  // Nobody is there any more to be asked.
  clearUnsaved();
  if (isGuarded(router) && !nextUser) {
    await router.navigate(paths.landing, { replace: true });
    await waitForUnmount();
  }
  queryClient.clear();
  if (nextUser) await router.revalidate();
}

/** The page that was left is still drawn for a moment, and would ask again for what is cleared under it. */
async function waitForUnmount(): Promise<void> {
  const cache = queryClient.getQueryCache();
  for (let tries = 0; tries < 60 && cache.findAll({ type: 'active' }).length > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
}

/** The server wants a second factor or a new password first. Many calls may say so at once. */
async function goToRequirement(router: Router): Promise<void> {
  const me = await queryClient.fetchQuery({ ...queries.me(), staleTime: 0 }).catch(() => undefined);
  const step = me && nextRequirement(me);
  const { pathname, search } = router.state.location;
  if (step && isGuarded(router) && !pathname.startsWith('/auth/')) {
    clearUnsaved();
    await router.navigate(beforePath(step, pathname + search), { replace: true });
  }
}

/** When the server is there again, what is on the screen is read anew. */
function refetchOnReconnect(router: Router): () => void {
  return connection.subscribe(() => {
    if (connection.isLost) return;
    notice({ title: i18next.t('common:connection.back') });
    void queryClient.invalidateQueries();
    if (router.state.errors) void router.revalidate();
  });
}
