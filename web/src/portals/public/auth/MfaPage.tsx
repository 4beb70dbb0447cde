import { useTranslation } from 'react-i18next';
import { useLoaderData, useLocation, useRevalidator } from 'react-router-dom';
import { signOut } from '../../../api/session';
import type { Me } from '../../../api/types';
import { homePath } from '../../../paths';
import { ChallengeForm } from '../../../shared/security/ChallengeForm';
import { returnTo, nextRequirement } from '../../../shared/session/requirements';
import { showGreeting } from './signIn';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

/** MFA challenge page. The route loader redirects once it is met. */
export function Component() {
  const { t } = useTranslation('public');
  const me = useLoaderData<Me>();
  const { search } = useLocation();
  const { revalidate } = useRevalidator();
  const goOn = () => {
    const rest = nextRequirement({ ...me, mfa: { due: null } });
    if (!rest) showGreeting(returnTo(search) ?? homePath(me.role));
    void revalidate();
  };
  return (
    <AuthCard title={t('mfa.title')} lead={t('mfa.lead')}>
      <ChallengeForm onVerified={goOn} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <button type="button" onClick={() => void signOut()}>
          {t('mfa.other')}
        </button>
      </nav>
    </AuthCard>
  );
}
