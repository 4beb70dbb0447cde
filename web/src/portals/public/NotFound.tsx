import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths } from '../../paths';
import { AppLink, NavigateProvider } from './frame/AppLink';
import { Logo } from '../../ui/Logo';
import { usePageTitle } from './frame/usePageTitle';
import button from './frame/Button.module.css';
import css from './NotFound.module.css';

export function NotFoundMessage() {
  const { t } = useTranslation('public');
  const { pathname } = useLocation();
  usePageTitle(t('not_found.title'));
  useEffect(() => {
    console.error('404 Error: a path that does not exist was asked for:', pathname);
  }, [pathname]);
  return (
    <div className={css.message}>
      <p className={css.code}>404</p>
      <h1>{t('not_found.title')}</h1>
      <p className={css.text}>{t('not_found.text', { path: pathname })}</p>
      <AppLink to={paths.landing} className={button.default}>
        {t('not_found.home')}
      </AppLink>
    </div>
  );
}

export function Component() {
  const navigate = useNavigate();
  return (
    <NavigateProvider value={(path) => void navigate(path)}>
      <main className={css.page}>
        <Logo size={32} />
        <NotFoundMessage />
      </main>
    </NavigateProvider>
  );
}
