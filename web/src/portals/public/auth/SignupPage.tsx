import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { PortalCards } from './PortalCards';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  return (
    <AuthCard title={t('signup.title')} lead={t('signup.lead')} size="wide">
      <PortalCards words="signup" to={paths.signupFor} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.portalSelector}>{t('signup.have')}</AppLink>
        <AppLink to={paths.landing}>{t('selector.home')}</AppLink>
      </nav>
    </AuthCard>
  );
}
