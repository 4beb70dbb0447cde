import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths, type Portal } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import { AuthCard } from '../auth/AuthCard';
import task from '../auth/AuthCard.module.css';
import { ApplyForm } from './ApplyForm';
import css from './ApplyForm.module.css';

/** Account application page; staff decide, no account is created (decision 22). */
export function ApplyPage({ portal }: { portal: Portal }) {
  const { t } = useTranslation('public');
  const [sent, setSent] = useState<{ reference: string; email: string }>();
  if (sent) {
    return (
      <AuthCard
        title={t('apply.sent')}
        lead={<span role="status">{t('apply.sent_text', { email: sent.email })}</span>}
        size="medium"
      >
        <div className={css.sent}>
          <dl className={css.reference}>
            <dt>{t('apply.reference')}</dt>
            <dd>{sent.reference}</dd>
          </dl>
          <ol className={css.next} aria-label={t('apply.next')}>
            <li>{t('apply.next.read')}</li>
            <li>{t('apply.next.mail')}</li>
            <li>{t('apply.next.password')}</li>
          </ol>
        </div>
        <nav className={task.ways} aria-label={t('login.ways')}>
          <AppLink to={paths.landing}>{t('selector.home')}</AppLink>
          <button type="button" onClick={() => setSent(undefined)}>
            {t('apply.another')}
          </button>
        </nav>
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t(`apply.title.${portal}`)} lead={t('apply.lead')} size="medium">
      <ApplyForm portal={portal} onSent={setSent} />
      <nav className={task.ways} aria-label={t('login.ways')}>
        <AppLink to={paths.signup}>{t('apply.other')}</AppLink>
        <AppLink to={paths.login(portal)}>{t('signup.have')}</AppLink>
      </nav>
    </AuthCard>
  );
}
