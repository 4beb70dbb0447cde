import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { Go } from '../frame/Go';
import { PortalCards } from './PortalCards';
import { Task } from './Task';
import css from './Task.module.css';

export function Component() {
  const { t } = useTranslation('public');
  return (
    <Task title={t('selector.title')} lead={t('selector.lead')} wide>
      <PortalCards words="selector" to={paths.login} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.landing}>{t('selector.home')}</Go>
      </nav>
    </Task>
  );
}
