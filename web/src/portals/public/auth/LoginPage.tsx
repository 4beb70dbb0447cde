import { useTranslation } from 'react-i18next';
import type { Portal } from '../../../paths';
import { usePageTitle } from '../frame/usePageTitle';
import { LoginForm } from './LoginForm';
import { MemberExtras, StaffExtras } from './LoginExtras';
import css from './LoginPage.module.css';

const insides: Record<Portal, readonly string[]> = {
  client: ['orders', 'steps', 'activity'],
  employee: ['clients', 'spvs', 'steps'],
  company: ['portfolio', 'partners', 'progress'],
  iso: ['clients', 'commissions', 'progress'],
};

export function LoginPage({ portal }: { portal: Portal }) {
  const { t } = useTranslation('public');
  const title = t(`common:portal.${portal}`);
  usePageTitle(title);
  return (
    <div className={css.page}>
      <section className={css.form} aria-labelledby="login-title">
        <h1 id="login-title">{title}</h1>
        <p className={css.lead}>{t(`login.lead.${portal}`)}</p>
        <LoginForm portal={portal} />
        {portal === 'client' || portal === 'iso' ? <MemberExtras portal={portal} /> : <StaffExtras />}
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
