import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths, type Portal } from '../../../paths';
import { usePageTitle } from '../frame/usePageTitle';
import { FormationCard } from '../landing/FormationCard';
import { LoginForm } from './LoginForm';
import { MemberExtras, StaffExtras } from './LoginExtras';
import { completeProviderSignIn, isPendingApproval, parseCallback, callbackErrorText } from './provider';
import css from './LoginPage.module.css';
import task from './AuthCard.module.css';

const portalContent: Record<Portal, readonly string[]> = {
  client: ['orders', 'steps', 'activity'],
  employee: ['clients', 'spvs', 'steps'],
  company: ['portfolio', 'partners', 'progress'],
  iso: ['clients', 'commissions', 'progress'],
};

export function LoginPage({ portal }: { portal: Portal }) {
  const { t } = useTranslation('public');
  const [remember, setRemember] = useState(true);
  const { waiting, callbackError, problem } = useAuthCallback(portal);
  const title = t(`common:portal.${portal}`);
  usePageTitle(title);
  return (
    <div className={css.page}>
      <section className={css.form} aria-labelledby="login-title">
        <h1 id="login-title">{title}</h1>
        <p className={css.lead}>{t(`login.lead.${portal}`)}</p>
        {callbackError && (
          <p
            className={isPendingApproval(callbackError) ? task.answer : task.problem}
            role={isPendingApproval(callbackError) ? 'status' : 'alert'}
          >
            {callbackErrorText(callbackError)}
          </p>
        )}
        <LoginForm
          key={problem}
          portal={portal}
          remember={remember}
          onRemember={setRemember}
          waiting={waiting}
          answer={problem}
        />
        {portal === 'client' || portal === 'iso' ? (
          <MemberExtras portal={portal} remember={remember} />
        ) : (
          <StaffExtras />
        )}
      </section>
      <aside className={css.aside} aria-label={t('login.inside')}>
        <div className={css.card}>
          <FormationCard />
        </div>
        <dl>
          {portalContent[portal].map((part) => (
            <div key={part}>
              <dt>{t(`inside.${portal}.${part}`)}</dt>
              <dd>{t(`inside.${portal}.${part}_text`)}</dd>
            </div>
          ))}
        </dl>
      </aside>
    </div>
  );
}

/** Login page; also the provider callback, which continues to the portal or shows the error. */
function useAuthCallback(portal: Portal) {
  const navigate = useNavigate();
  const { search, hash } = useLocation();
  const [back] = useState(() => parseCallback(search, hash));
  const [waiting, setWaiting] = useState(back?.pending ?? false);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    if (!back) return;
    let current = true;
    const goOn = async () => {
      const outcome = back.pending ? await completeProviderSignIn(portal) : undefined;
      if (!current) return;
      setWaiting(false);
      setProblem(outcome?.problem?.text);
      // Removes the callback parameters, so a reload does not repeat it.
      await navigate(outcome?.path ?? paths.login(portal), { replace: true });
    };
    void goOn();
    return () => {
      current = false;
    };
  }, [back, navigate, portal]);
  return { waiting, callbackError: back?.error, problem };
}
