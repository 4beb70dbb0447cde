import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { api, body } from '../../api/client';
import { ApiError } from '../../api/errors';
import { paths } from '../../paths';
import { AuthCard } from './auth/AuthCard';
import css from './auth/AuthCard.module.css';
import { EmailActionCard } from './auth/EmailActionCard';
import { AppLink } from './frame/AppLink';

type Step = 'ask' | 'unknown' | 'notices' | 'digest' | 'report';

/** Unsubscribe page of list emails. */
export function Component() {
  const { t } = useTranslation('public');
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const [step, setStep] = useState<Step>(token ? 'ask' : 'unknown');

  const unsubscribe = async () => {
    try {
      const done = await body(api.POST('/unsubscribe', { params: { query: { token } } }));
      setStep(done.kind as Step);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      setStep('unknown');
    }
  };

  if (step === 'ask') {
    return (
      <EmailActionCard
        title={t('unsubscribe.title')}
        lead={t('unsubscribe.lead')}
        label={t('unsubscribe.button')}
        busyLabel={t('unsubscribe.busy')}
        act={unsubscribe}
      />
    );
  }
  const isUnknown = step === 'unknown';
  return (
    <AuthCard
      title={t(isUnknown ? 'unsubscribe.unknown' : 'unsubscribe.done')}
      lead={<span role={isUnknown ? 'alert' : 'status'}>{t(`unsubscribe.${step}_text`)}</span>}
    >
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.portalSelector}>{t('saved.sign_in')}</AppLink>
      </nav>
    </AuthCard>
  );
}
