import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { api, body } from '../../api/client';
import { ApiError, errorText } from '../../api/errors';
import { paths } from '../../paths';
import { BusyButton } from '../../ui/BusyButton';
import { AuthCard } from './auth/AuthCard';
import css from './auth/AuthCard.module.css';
import { AppLink } from './frame/AppLink';

type Step = 'ask' | 'unknown' | 'notices' | 'digest' | 'report';

/** Unsubscribe page. Mail scanners open links, so only the button changes anything. */
export function Component() {
  const { t } = useTranslation('public');
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const [step, setStep] = useState<Step>(token ? 'ask' : 'unknown');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const unsubscribe = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const done = await body(api.POST('/unsubscribe', { params: { query: { token } } }));
      setStep(done.kind as Step);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) setStep('unknown');
      else setProblem(errorText(error));
    }
    setBusy(false);
  };

  if (step === 'ask') {
    return (
      <AuthCard title={t('unsubscribe.title')} lead={t('unsubscribe.lead')}>
        {problem && (
          <p className={css.problem} role="alert">
            {problem}
          </p>
        )}
        <BusyButton
          className={css.only}
          busy={busy}
          label={t('unsubscribe.button')}
          busyLabel={t('unsubscribe.busy')}
          onClick={() => void unsubscribe()}
        />
      </AuthCard>
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
