import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { ApiError } from '../../../api/errors';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';
import { EmailActionCard } from './EmailActionCard';

/** "This wasn't me" of a security email. */
export function Component() {
  const { t } = useTranslation('public');
  const [query] = useSearchParams();
  const token = query.get('token') ?? '';
  /** Null: secured, and no link was mailed. */
  const [email, setEmail] = useState<string | null>();
  const [expired, setExpired] = useState(token === '');

  const secure = async () => {
    try {
      const secured = await body(api.POST('/rest/v1/secure-account', { body: { token } }));
      setEmail(secured.email);
      // Used, so it is removed from the history.
      history.replaceState(history.state, '', location.pathname);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'secure_link_not_valid')) throw error;
      setExpired(true);
    }
  };

  if (email === undefined && !expired) {
    return (
      <EmailActionCard
        title={t('secure.title')}
        lead={t('secure.lead')}
        label={t('secure.button')}
        busyLabel={t('secure.busy')}
        act={secure}
      />
    );
  }
  return (
    <AuthCard
      title={t(expired ? 'expired.title' : 'secure.done')}
      lead={
        <span role={expired ? 'alert' : 'status'}>
          {expired
            ? t('secure.expired_text')
            : email === null
              ? t('secure.done_contact')
              : t('secure.done_text', { email })}
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
