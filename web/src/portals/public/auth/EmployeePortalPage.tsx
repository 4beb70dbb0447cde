import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { Go } from '../frame/AppLink';
import button from '../frame/Button.module.css';
import { Task } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Task title={t('common:portal.employee')} lead={t('employee_portal.lead')}>
      <div className={css.actions}>
        <Go to={paths.login('employee')} className={button.primary}>
          {t('employee_portal.login')}
        </Go>
      </div>
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.login('client')}>{t('employee_portal.client')}</Go>
        <Go to={paths.landing}>{t('selector.home')}</Go>
      </nav>
    </Task>
  );
}
