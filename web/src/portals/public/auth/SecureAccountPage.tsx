import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { ApiError, errorText } from '../../../api/errors';
import { paths } from '../../../paths';
import { BusyButton } from '../../../ui/BusyButton';
import { AppLink } from '../frame/AppLink';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

/** "This wasn't me" of a security email. Mail scanners open links, so only the button changes anything. */
export function Component() {
  const { t } = useTranslation('public');
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  const [email, setEmail] = useState<string>();
  const [expired, setExpired] = useState(token === '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const secure = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const secured = await body(api.POST('/rest/v1/secure-account', { body: { token } }));
      setEmail(secured.email);
      // Used, so it is removed from the history.
      history.replaceState(history.state, '', location.pathname);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'secure_link_not_valid') setExpired(true);
      else setProblem(errorText(error));
    }
    setBusy(false);
  };

  if (email === undefined && !expired) {
    return (
      <AuthCard title={t('secure.title')} lead={t('secure.lead')}>
        {problem && (
          <p className={css.problem} role="alert">
            {problem}
          </p>
        )}
        <BusyButton
          className={css.only}
          busy={busy}
          label={t('secure.button')}
          busyLabel={t('secure.busy')}
          onClick={() => void secure()}
        />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title={t(expired ? 'expired.title' : 'secure.done')}
      lead={
        <span role={expired ? 'alert' : 'status'}>
          {expired ? t('secure.expired_text') : t('secure.done_text', { email })}
        </span>
      }
    >
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={expired ? paths.forgotPassword : paths.portalSelector}>
          {t(expired ? 'secure.forgot' : 'saved.sign_in')}
        </AppLink>
      </nav>
    </AuthCard>
  );
}
