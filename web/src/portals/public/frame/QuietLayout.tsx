import { Outlet, useNavigate } from 'react-router-dom';
import { useWords } from '../../../messages/words';
import { paths } from '../../../paths';
import { Go, GoProvider } from './Go';
import { Logo } from '../../../ui/Logo';
import { Switches } from './Switches';
import { useBrand } from './useBrand';
import css from './QuietLayout.module.css';

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
