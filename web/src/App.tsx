import './fonts/inter.css';
import './signInStyles';
import '@mantine/notifications/styles.layer.css';
import './base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from './api/cache';
import { syncSession } from './sessionSync';
import { createRouter } from './routes';
import { ConnectionBar } from './shared/ConnectionBar';
import { ReauthenticationHost } from './shared/security/ReauthenticationHost';
import { Toasts } from './ui/toasts';

export function App() {
  const [router] = useState(createRouter);
  useEffect(() => syncSession(router), [router]);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ReauthenticationHost />
      <ConnectionBar />
      <Toasts />
    </QueryClientProvider>
  );
}
