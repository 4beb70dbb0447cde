import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import button from '../frame/Button.module.css';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  return (
    <AuthCard title={t('common:portal.employee')} lead={t('employee_portal.lead')}>
      <div className={css.actions}>
        <AppLink to={paths.login('employee')} className={button.primary}>
          {t('employee_portal.login')}
        </AppLink>
      </div>
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.login('client')}>{t('employee_portal.client')}</AppLink>
        <AppLink to={paths.landing}>{t('selector.home')}</AppLink>
      </nav>
    </AuthCard>
  );
}
