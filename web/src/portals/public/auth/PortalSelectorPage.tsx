import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { paths } from '../../../paths';
import { Go } from '../frame/AppLink';
import { PortalCards } from './PortalCards';
import { isAnswer, readWayBack, refusalText } from './provider';
import { Task } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  const { search, hash } = useLocation();
  const [back] = useState(() => readWayBack(search, hash));
  return (
    <Task title={t('selector.title')} lead={t('selector.lead')} size="wide">
      {back?.refused && (
        <p className={isAnswer(back.refused) ? css.answer : css.problem} role="alert">
          {refusalText(back.refused)}
        </p>
      )}
      <PortalCards words="selector" to={paths.login} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.landing}>{t('selector.home')}</Go>
      </nav>
    </Task>
  );
}
