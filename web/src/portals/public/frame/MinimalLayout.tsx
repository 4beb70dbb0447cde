import { Outlet, useNavigate } from 'react-router-dom';
import { useWords } from '../../../messages/landingMessages';
import { paths } from '../../../paths';
import { Go, GoProvider } from './AppLink';
import { Logo } from '../../../ui/Logo';
import { Switches } from './DisplaySettings';
import { useBrand } from './useBrand';
import css from './MinimalLayout.module.css';

/** Around one task: signing in, choosing a portal, setting a password. */
export function Component() {
  const t = useWords();
  const navigate = useNavigate();
  const brand = useBrand();
  return (
    <GoProvider value={(path) => void navigate(path)}>
      <div className={css.page}>
        <header className={css.top}>
          <Go to={paths.landing} className={css.brand} aria-label={t('frame.home', { brand })}>
            <Logo />
            {brand}
          </Go>
          <Switches />
        </header>
        <main id="content" className={css.main}>
          <Outlet />
        </main>
      </div>
    </GoProvider>
  );
}
