import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accessToken } from '../../../api/session';
import { paths } from '../../../paths';
import { Go } from '../frame/Go';
import { CodeForm } from './CodeForm';
import { NewPasswordForm } from './NewPasswordForm';
import { OpenLink } from './OpenLink';
import { PasswordSaved } from './PasswordSaved';
import { RecoverForm } from './RecoverForm';
import { Task } from './Task';
import css from './Task.module.css';

type Step = 'link' | 'looking' | 'code' | 'expired' | 'sent' | 'password' | 'saved';

/** Where the link in a password mail leads, and where a first password must be changed. */
export function Component() {
  const { t } = useTranslation('public');
  const [link] = useState(readLink);
  const [step, setStep] = useState<Step>(link.failed ? 'expired' : link.tokenHash ? 'link' : 'looking');
  const [email, setEmail] = useState('');

  useEffect(() => {
    if (step !== 'looking') return;
    void accessToken().then((token) => setStep(token ? 'password' : 'code'));
  }, [step]);

  const toExpired = () => setStep('expired');
  const toPassword = () => setStep('password');
  const onSent = (address: string) => {
    setEmail(address);
    setStep('sent');
  };

  if (step === 'looking') return null;
  if (step === 'saved') return <PasswordSaved />;
  if (step === 'link') {
    return <OpenLink tokenHash={link.tokenHash ?? ''} onVerified={toPassword} onExpired={toExpired} />;
  }
  if (step === 'password') {
    return (
      <Task title={t('reset.new')} lead={t('reset.new_text')}>
        <NewPasswordForm onSaved={() => setStep('saved')} onExpired={toExpired} />
      </Task>
    );
  }
  if (step === 'expired') {
    return (
      <Task title={t('expired.title')} lead={<span role="alert">{t('expired.text')}</span>}>
        <RecoverForm onSent={onSent} />
      </Task>
    );
  }
  const sent = step === 'sent';
  return (
    <Task
      title={t(sent ? 'recover.sent' : 'code.title')}
      lead={
        <span role={sent ? 'status' : undefined}>
          {t(sent ? 'recover.sent_text' : 'code.lead', { email })}
        </span>
      }
    >
      <CodeForm key={step} email={sent ? email : undefined} onVerified={toPassword} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <Go to={paths.forgotPassword}>{t('code.new_link')}</Go>
        <Go to={paths.portalSelector}>{t('login.back')}</Go>
      </nav>
    </Task>
  );
}

interface Link {
  tokenHash: string | null;
  /** The server sent the visitor here because the link was no longer good. */
  failed: boolean;
}

function readLink(): Link {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  return {
    tokenHash: query.get('token_hash'),
    failed: query.has('error_code') || fragment.has('error_code'),
  };
}
