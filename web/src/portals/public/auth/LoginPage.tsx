import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths, type Portal } from '../../../paths';
import { usePageTitle } from '../frame/usePageTitle';
import { LoginForm } from './LoginForm';
import { MemberExtras, StaffExtras } from './LoginExtras';
import { comeBack, isAnswer, readWayBack, refusalText } from './provider';
import css from './LoginPage.module.css';
import task from './AuthCard.module.css';

const insides: Record<Portal, readonly string[]> = {
  client: ['orders', 'steps', 'activity'],
  employee: ['clients', 'spvs', 'steps'],
  company: ['portfolio', 'partners', 'progress'],
  iso: ['clients', 'commissions', 'progress'],
};

export function LoginPage({ portal }: { portal: Portal }) {
  const { t } = useTranslation('public');
  const [remember, setRemember] = useState(true);
  const { waiting, refused, problem } = useWayBack(portal);
  const title = t(`common:portal.${portal}`);
  usePageTitle(title);
  return (
    <div className={css.page}>
      <section className={css.form} aria-labelledby="login-title">
        <h1 id="login-title">{title}</h1>
        <p className={css.lead}>{t(`login.lead.${portal}`)}</p>
        {refused && (
          <p
            className={isAnswer(refused) ? task.answer : task.problem}
            role={isAnswer(refused) ? 'status' : 'alert'}
          >
            {refusalText(refused)}
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
        <dl>
          {insides[portal].map((part) => (
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

/** Whoever comes back from a provider goes on to the portal, or is told why not. */
function useWayBack(portal: Portal) {
  const navigate = useNavigate();
  const { search, hash } = useLocation();
  const [back] = useState(() => readWayBack(search, hash));
  const [waiting, setWaiting] = useState(back?.brings ?? false);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    if (!back) return;
    let current = true;
    const goOn = async () => {
      const outcome = back.brings ? await comeBack(portal) : undefined;
      if (!current) return;
      setWaiting(false);
      setProblem(outcome?.problem?.text);
      // The answer is read: a reload asks nothing twice.
      await navigate(outcome?.path ?? paths.login(portal), { replace: true });
    };
    void goOn();
    return () => {
      current = false;
    };
  }, [back, navigate, portal]);
  return { waiting, refused: back?.refused, problem };
}
