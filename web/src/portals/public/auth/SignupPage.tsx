import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { Go } from '../frame/AppLink';
import { PortalCards } from './PortalCards';
import { Task } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Task title={t('signup.title')} lead={t('signup.lead')} size="wide">
      <PortalCards words="signup" to={paths.signupFor} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.portalSelector}>{t('signup.have')}</Go>
        <Go to={paths.landing}>{t('selector.home')}</Go>
      </nav>
    </Task>
  );
}
