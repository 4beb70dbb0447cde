import { useTranslation } from 'react-i18next';
import { useLoaderData, useLocation, useRevalidator } from 'react-router-dom';
import { signOut } from '../../../api/session';
import type { Me } from '../../../api/types';
import { homePath, paths } from '../../../paths';
import { returnTo, nextRequirement } from '../../../shared/session/requirements';
import { toast } from '../../../ui/toasts';
import { AppLink } from '../frame/AppLink';
import { NewPasswordForm } from './NewPasswordForm';
import { showGreeting } from './signIn';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

/** Forced change of an initial password. */
export function Component() {
  const { t } = useTranslation('public');
  const me = useLoaderData<Me>();
  const { search } = useLocation();
  const { revalidate } = useRevalidator();
  const goOn = () => {
    toast({ title: t('saved.title') });
    if (!nextRequirement({ ...me, must_change_password: false })) {
      showGreeting(returnTo(search) ?? homePath(me.role));
    }
    void revalidate();
  };
  return (
    <AuthCard title={t('first.title')} lead={t('first.lead')}>
      <NewPasswordForm asksCurrent onSaved={goOn} onExpired={() => void revalidate()} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.forgotPassword}>{t('first.forgotten')}</AppLink>
        <button type="button" onClick={() => void signOut()}>
          {t('mfa.other')}
        </button>
      </nav>
    </AuthCard>
  );
}
