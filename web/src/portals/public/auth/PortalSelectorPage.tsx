import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { PortalCards } from './PortalCards';
import { isPendingApproval, parseCallback, callbackErrorText } from './provider';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

export function Component() {
  const { t } = useTranslation('public');
  const { search, hash } = useLocation();
  const [back] = useState(() => parseCallback(search, hash));
  return (
    <AuthCard title={t('selector.title')} lead={t('selector.lead')} size="wide">
      {back?.error && (
        <p className={isPendingApproval(back.error) ? css.answer : css.problem} role="alert">
          {callbackErrorText(back.error)}
        </p>
      )}
      <PortalCards words="selector" to={paths.login} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.landing}>{t('selector.home')}</AppLink>
      </nav>
    </AuthCard>
  );
}
