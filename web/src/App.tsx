import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './base.css';
import { Tooltip } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { useEffect, useState } from 'react';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from './api/cache';
import { startEvents } from './api/events';
import { auth, isLeaving } from './api/session';
import { paths } from './paths';
import { createRouter, isGuarded } from './routes';
import { toast, Toasts } from './ui/toasts';

type Router = ReturnType<typeof createRouter>;

export function App() {
  const [router] = useState(createRouter);
  useEffect(() => followSession(router), [router]);
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Group openDelay={700} closeDelay={300}>
        <RouterProvider router={router} />
      </Tooltip.Group>
      <Toasts />
    </QueryClientProvider>
  );
}

/** What one person saw is never shown to the next, in this tab or in another one. */
function followSession(router: Router): () => void {
  let user: string | undefined;
  let stopEvents: (() => void) | undefined;
  const { data } = auth.onAuthStateChange((_event, session) => {
    if (session?.user.id === user) return;
    const before = user;
    user = session?.user.id;
    stopEvents?.();
    stopEvents = user ? startEvents() : undefined;
    if (before && !user && !isLeaving()) tellOfTheEnd();
    // Not inside the callback: it runs while the auth client holds its lock.
    if (before) setTimeout(() => void leave(router, user), 0);
  });
  return () => {
    stopEvents?.();
    data.subscription.unsubscribe();
  };
}

/** Suspended, signed out elsewhere, a new password: whoever is led away from a page is told why. */
function tellOfTheEnd(): void {
  const title = i18next.t('common:logged_out.title');
  toast({ title, description: i18next.t('errors:session_not_found'), destructive: true });
}

async function leave(router: Router, nextUser: string | undefined): Promise<void> {
  if (isGuarded(router) && !nextUser) {
    await router.navigate(paths.landing, { replace: true });
    await pageIsGone();
  }
  queryClient.clear();
  if (nextUser) await router.revalidate();
}

/** The page that was left is still drawn for a moment, and would ask again for what is cleared under it. */
async function pageIsGone(): Promise<void> {
  const cache = queryClient.getQueryCache();
  for (let tries = 0; tries < 60 && cache.findAll({ type: 'active' }).length > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
}
