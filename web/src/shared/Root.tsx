import { useLayoutEffect } from 'react';
import { Outlet, ScrollRestoration, useNavigation } from 'react-router-dom';
import { FirstLocationContext, useIsFirstLocation } from './firstLocation';
import { ImpersonationBanner, MaintenanceBanner } from './notices/Banners';
import { removeShell } from '../shell';
import classes from './Root.module.css';

export function Root() {
  useLayoutEffect(removeShell, []);
  const navigation = useNavigation();
  const isFirstLocation = useIsFirstLocation();
  return (
    <FirstLocationContext value={isFirstLocation}>
      {navigation.state === 'loading' && <div className={classes.bar} aria-hidden="true" />}
      <ImpersonationBanner />
      <MaintenanceBanner />
      <Outlet />
      <ScrollRestoration />
    </FirstLocationContext>
  );
}
