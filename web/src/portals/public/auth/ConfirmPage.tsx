import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useNavigate } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { homePath, paths } from '../../../paths';
import { useSettings } from '../../../shared/settings/useSettings';
import { AppLink } from '../frame/AppLink';
import button from '../frame/Button.module.css';
import { CodeForm } from './CodeForm';
import { linkTypes, readMailLink, resendMail, type LinkType } from './mailLink';
import { OpenLink } from './OpenLink';
import { RecoverForm } from './RecoverForm';
import { AuthCard } from './AuthCard';
import css from './AuthCard.module.css';

type Step = 'link' | 'code' | 'expired' | 'sent' | 'half' | 'changed';

/** Confirmation page of mail links other than password links. Nothing is consumed before a click. */
export function Component() {
  const { search } = useLocation();
  const [link] = useState(() => readMailLink('signup'));
  const type = linkTypes.find((known) => known === link.type);
  // Password links end on the password form.
  if (!type) return <Navigate to={paths.resetPassword + search} replace />;
  return <Confirm type={type} link={link} />;
}

function Confirm({ type, link }: { type: LinkType; link: ReturnType<typeof readMailLink> }) {
  const { t } = useTranslation('public');
  const navigate = useNavigate();
  const settings = useSettings();
  const [email, setEmail] = useState('');
  const [step, setStep] = useState<Step>(() => {
    if (link.failed) return 'expired';
    return link.tokenHash && !link.otherBrowser ? 'link' : 'code';
  });

  const verified = async (hasSession: boolean) => {
    if (type === 'email_change') return setStep(hasSession ? 'changed' : 'half');
    await navigate(link.next ?? (await openHome()), { replace: true });
  };
  const onVerified = (hasSession: boolean) => void verified(hasSession);

  if (step === 'link') {
    const alone = type === 'email_change' && settings?.secure_email_change === false;
    return (
      <OpenLink
        link={link}
        title={t(`confirm.title.${type}`)}
        lead={t(alone ? 'confirm.lead.email_change_alone' : `confirm.lead.${type}`)}
        label={t(`confirm.button.${type}`)}
        onVerified={onVerified}
        onExpired={() => setStep('expired')}
      />
    );
  }
  if (step === 'half' || step === 'changed') {
    return (
      <AuthCard title={t(`confirm.${step}`)} lead={<span role="status">{t(`confirm.${step}_text`)}</span>}>
        <div className={css.actions}>
          <AppLink to={paths.portalSelector} className={button.primary}>
            {t('saved.sign_in')}
          </AppLink>
        </div>
      </AuthCard>
    );
  }
  if (step === 'expired') {
    return (
      <AuthCard title={t('expired.title')} lead={<span role="alert">{t('expired.text')}</span>}>
        <RecoverForm
          send={(address) => resendMail(type, address)}
          onSent={(address) => {
            setEmail(address);
            setStep('sent');
          }}
        />
      </AuthCard>
    );
  }
  const sent = step === 'sent';
  return (
    <AuthCard
      title={t(sent ? 'recover.sent' : link.otherBrowser ? 'elsewhere.title' : `confirm.title.${type}`)}
      lead={
        <span role={sent ? 'status' : undefined}>
          {sent
            ? t('confirm.sent_text', { email })
            : t(link.otherBrowser ? 'elsewhere.text' : 'code.lead_other')}
        </span>
      }
    >
      <CodeForm key={step} email={sent ? email : undefined} type={type} onVerified={onVerified} />
      <nav className={css.ways} aria-label={t('login.ways')}>
        <button type="button" onClick={() => setStep('expired')}>
          {t('code.new_link')}
        </button>
        <AppLink to={paths.portalSelector}>{t('login.back')}</AppLink>
      </nav>
    </AuthCard>
  );
}

/** Home page of the user whom the link signed in. */
async function openHome(): Promise<string> {
  return body(api.GET('/rest/v1/me')).then(
    (me) => homePath(me.role),
    () => paths.portalSelector,
  );
}
