import { useLandingMessages } from '../../../messages/landingMessages';
import { paths } from '../../../paths';
import { useSettings } from '../../../shared/settings/useSettings';
import { AppLink } from '../frame/AppLink';
import button from '../frame/Button.module.css';
import { FormationCard } from './FormationCard';
import { scrollToSection } from './sections';
import css from './Hero.module.css';

const facts = ['jurisdictions', 'portals', 'record'] as const;

export function Hero({ onStart, onReach }: { onStart: () => void; onReach: () => void }) {
  const t = useLandingMessages();
  const settings = useSettings();
  return (
    <section className={css.hero}>
      <div className={css.inner}>
        <div className={css.words}>
          <h1>{t('hero.title')}</h1>
          <p className={css.lead}>{t('hero.lead')}</p>
          <div className={css.actions}>
            <button
              type="button"
              className={button.primary}
              onClick={onStart}
              onPointerEnter={onReach}
              onFocus={onReach}
            >
              {t('hero.start')}
            </button>
            <button type="button" className={button.default} onClick={() => scrollToSection('features')}>
              {t('hero.more')}
            </button>
          </div>
          <p className={css.ways}>
            <AppLink to={paths.contact}>{t('hero.talk')}</AppLink>
            {settings?.demo && (
              <AppLink to={paths.portalSelector} data-setting="demo">
                {t('hero.demo')}
              </AppLink>
            )}
          </p>
        </div>
        <FormationCard />
      </div>
      <dl className={css.facts}>
        {facts.map((fact) => (
          <div key={fact}>
            <dt>{t(`hero.facts.${fact}`)}</dt>
            <dd>{t(`hero.facts.${fact}_text`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
