import { Outlet, useNavigate } from 'react-router-dom';
import { Footer } from './Footer';
import { NavigateProvider } from './AppLink';
import { Header } from './Header';
import { useAccessDialog } from './useAccessDialog';
import css from './PublicLayout.module.css';

/** Layout of public article pages. */
export function Component() {
  const navigate = useNavigate();
  const access = useAccessDialog();
  return (
    <NavigateProvider value={(path) => void navigate(path)}>
      <div className={css.page}>
        <Header onLogin={access.open} onReach={access.warm} />
        <main id="content" tabIndex={-1} className={css.main}>
          <Outlet />
        </main>
        <Footer />
        {access.dialog}
      </div>
    </NavigateProvider>
  );
}
