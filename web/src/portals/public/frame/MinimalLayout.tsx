import { Outlet, useNavigate } from 'react-router-dom';
import { useLandingMessages } from '../../../messages/landingMessages';
import { paths } from '../../../paths';
import { AppLink, NavigateProvider } from './AppLink';
import { Logo } from '../../../ui/Logo';
import { DisplaySettings } from './DisplaySettings';
import { useBrand } from './useBrand';
import css from './MinimalLayout.module.css';

/** Minimal layout: one centered task such as sign-in. */
export function Component() {
  const t = useLandingMessages();
  const navigate = useNavigate();
  const brand = useBrand();
  return (
    <NavigateProvider value={(path) => void navigate(path)}>
      <div className={css.page}>
        <header className={css.top}>
          <AppLink to={paths.landing} className={css.brand} aria-label={t('frame.home', { brand })}>
            <Logo />
            {brand}
          </AppLink>
          <DisplaySettings />
        </header>
        <main id="content" className={css.main}>
          <Outlet />
        </main>
      </div>
    </NavigateProvider>
  );
}
