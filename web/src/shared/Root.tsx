import { Outlet, ScrollRestoration, useNavigation } from 'react-router-dom';
import classes from './Root.module.css';

export function Root() {
  const navigation = useNavigation();
  return (
    <>
      {navigation.state === 'loading' && <div className={classes.bar} aria-hidden="true" />}
      <Outlet />
      <ScrollRestoration />
    </>
  );
}
