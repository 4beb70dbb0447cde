import { useTranslation } from 'react-i18next';
import { useLoaderData, useLocation, useRevalidator } from 'react-router-dom';
import { signOut } from '../../../api/session';
import type { Me } from '../../../api/types';
import { homeOf, paths } from '../../../paths';
import { afterwards, nextStep } from '../../../shared/session/requirements';
import { toast } from '../../../ui/toasts';
import { Go } from '../frame/AppLink';
import { NewPasswordForm } from './NewPasswordForm';
import { welcome } from './signIn';
import { Task } from './AuthCard';
import css from './AuthCard.module.css';

/** The first sign-in with a password that somebody else chose. */
export function Component() {
  const { t } = useTranslation('public');
  const me = useLoaderData<Me>();
  const { search } = useLocation();
  const { revalidate } = useRevalidator();
  const goOn = () => {
    toast({ title: t('saved.title') });
    if (!nextStep({ ...me, must_change_password: false })) {
      welcome(afterwards(search) ?? homeOf(me.role));
    }
    void revalidate();
  };
  return (
    <Task title={t('first.title')} lead={t('first.lead')}>
      <NewPasswordForm asksCurrent onSaved={goOn} onExpired={() => void revalidate()} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.forgotPassword}>{t('first.forgotten')}</Go>
        <button type="button" onClick={() => void signOut()}>
          {t('mfa.other')}
        </button>
      </nav>
    </Task>
  );
}
