import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accessToken } from '../../../api/session';
import { paths } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { CodeForm } from './CodeForm';
import { NewPasswordCard } from './NewPasswordCard';
import { readMailLink } from './mailLink';
import { OpenLink } from './OpenLink';
import { RecoverForm } from './RecoverForm';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

type Step = 'link' | 'elsewhere' | 'looking' | 'code' | 'expired' | 'late' | 'sent' | 'password';

/** Password recovery page, and change of an initial password. */
export function Component() {
  const { t } = useTranslation('public');
  const [link] = useState(() => readMailLink('recovery'));
  const [step, setStep] = useState<Step>(() => {
    if (link.failed) return 'expired';
    if (link.otherBrowser) return 'elsewhere';
    return link.tokenHash ? 'link' : 'looking';
  });
  const [email, setEmail] = useState('');

  useEffect(() => {
    if (step !== 'looking') return;
    accessToken().then(
      (token) => setStep(token ? 'password' : 'code'),
      () => setStep('code'),
    );
  }, [step]);

  const toExpired = () => setStep('expired');
  const toAnother = (why: 'over' | 'late') => setStep(why === 'late' ? 'late' : 'expired');
  const toPassword = () => setStep('password');
  const onSent = (address: string) => {
    setEmail(address);
    setStep('sent');
  };

  if (step === 'looking') return null;
  if (step === 'link') {
    return (
      <OpenLink
        link={link}
        title={t('reset.title')}
        lead={t('reset.lead')}
        label={t('reset.continue')}
        onVerified={toPassword}
        onExpired={toExpired}
      />
    );
  }
  if (step === 'password') {
    return <NewPasswordCard onExpired={toAnother} />;
  }
  if (step === 'expired' || step === 'late') {
    return (
      <AuthCard title={t(`${step}.title`)} lead={<span role="alert">{t(`${step}.text`)}</span>}>
        <RecoverForm onSent={onSent} />
      </AuthCard>
    );
  }
  const words = {
    sent: [t('recover.sent'), t('recover.sent_text', { email })],
    elsewhere: [t('elsewhere.title'), t('elsewhere.text')],
    code: [t('code.title'), t('code.lead')],
  }[step];
  return (
    <AuthCard
      title={words[0] ?? ''}
      lead={<span role={step === 'sent' ? 'status' : undefined}>{words[1]}</span>}
    >
      <CodeForm
        key={step}
        email={step === 'sent' ? email : undefined}
        type={step === 'elsewhere' ? link.type : 'recovery'}
        onVerified={toPassword}
      />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.forgotPassword}>{t('code.new_link')}</AppLink>
        <AppLink to={paths.portalSelector}>{t('login.back')}</AppLink>
      </nav>
    </AuthCard>
  );
}
