import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLoaderData, useLocation, useRevalidator } from 'react-router-dom';
import { signOut } from '../../../api/session';
import type { Me } from '../../../api/types';
import { homePath } from '../../../paths';
import { TotpSetup } from '../../../shared/security/TotpSetup';
import { returnTo } from '../../../shared/session/requirements';
import { showGreeting } from './signIn';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

/** MFA enrolment page for roles that require it. */
export function Component() {
  const { t } = useTranslation('public');
  const me = useLoaderData<Me>();
  const { search } = useLocation();
  const { revalidate } = useRevalidator();
  const [enrolled, setEnrolled] = useState(false);
  const goOn = () => {
    showGreeting(returnTo(search) ?? homePath(me.role));
    void revalidate();
  };
  const part = enrolled ? 'codes' : 'app';
  return (
    <AuthCard title={t(`mfa_setup.${part}.title`)} lead={t(`mfa_setup.${part}.lead`)} size="medium">
      <TotpSetup offerPasskey onEnrolled={() => setEnrolled(true)} onDone={goOn} />
      {!enrolled && (
        <nav className={css.ways} aria-label={t('login.ways')}>
          <button type="button" onClick={() => void signOut()}>
            {t('mfa_setup.later')}
          </button>
        </nav>
      )}
    </AuthCard>
  );
}
