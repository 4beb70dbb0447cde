import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { CodeForm } from './CodeForm';
import { RecoverForm } from './RecoverForm';
import { NewPasswordCard } from './NewPasswordCard';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

type Step = { name: 'ask' } | { name: 'late' } | { name: 'sent'; email: string } | { name: 'password' };

/** Forgot password page: mails a link and a code; the code can be entered here. */
export function Component() {
  const { t } = useTranslation('public');
  const [step, setStep] = useState<Step>({ name: 'ask' });

  if (step.name === 'password') {
    return <NewPasswordCard onExpired={() => setStep({ name: 'late' })} />;
  }
  if (step.name === 'sent') {
    return (
      <AuthCard
        title={t('recover.sent')}
        lead={<span role="status">{t('recover.sent_text', { email: step.email })}</span>}
      >
        <CodeForm email={step.email} onVerified={() => setStep({ name: 'password' })} />
        <nav className={css.ways} aria-label={t('login.ways')}>
          <button type="button" onClick={() => setStep({ name: 'ask' })}>
            {t('recover.again')}
          </button>
          <AppLink to={paths.portalSelector}>{t('login.back')}</AppLink>
        </nav>
      </AuthCard>
    );
  }
  const late = step.name === 'late';
  return (
    <AuthCard
      title={t(late ? 'late.title' : 'recover.title')}
      lead={late ? <span role="alert">{t('late.text')}</span> : t('recover.lead')}
    >
      <RecoverForm onSent={(email) => setStep({ name: 'sent', email })} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.portalSelector}>{t('login.back')}</AppLink>
      </nav>
    </AuthCard>
  );
}
