import { useTranslation } from 'react-i18next';
import { paths, type Portal } from '../../../paths';
import { Go } from '../frame/Go';
import { RequestForm } from '../requests/RequestForm';
import { Task } from './Task';
import css from './Task.module.css';

/** Asks staff for an account; it never makes one (decision 22). */
export function ApplyPage({ portal }: { portal: Portal }) {
  const { t } = useTranslation('public');
  return (
    <Task title={t(`apply.title.${portal}`)} lead={t('apply.lead')}>
      <RequestForm
        key={portal}
        kind="account"
        accountType={portal}
        messageLabel={t(`apply.message.${portal}`)}
      />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.signup}>{t('apply.other')}</Go>
        <Go to={paths.login(portal)}>{t('signup.have')}</Go>
      </nav>
    </Task>
  );
}
