import { useLandingMessages } from '../../../messages/landingMessages';
import { AppLink } from '../frame/AppLink';
import { paths } from '../../../paths';
import css from './AboutBand.module.css';

const roles = ['clients', 'employees', 'companies', 'isos'] as const;

export function AboutBand() {
  const t = useLandingMessages();
  return (
    <section id="about" className={css.section} tabIndex={-1} aria-labelledby="about-title">
      <div className={css.inner}>
        <div className={css.words}>
          <h2 id="about-title">{t('about.title')}</h2>
          <p>{t('about.text')}</p>
          <AppLink to={paths.about} className={css.more}>
            {t('about.more')}
          </AppLink>
        </div>
        <dl className={css.roles} aria-label={t('about.roles')}>
          {roles.map((role) => (
            <div key={role}>
              <dt>{t(`about.${role}`)}</dt>
              <dd>{t(`about.${role}_text`)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
