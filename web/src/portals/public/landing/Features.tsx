import { useLandingMessages } from '../../../messages/landingMessages';
import { AccessIllustration, AnalyticsIllustration, DocumentsIllustration } from './FeatureIllustrations';
import css from './Features.module.css';

const features = [
  ['analytics', AnalyticsIllustration],
  ['documents', DocumentsIllustration],
  ['access', AccessIllustration],
] as const;

export function Features() {
  const t = useLandingMessages();
  return (
    <section id="features" className={css.section} tabIndex={-1} aria-labelledby="features-title">
      <div className={css.inner}>
        <header className={css.head}>
          <h2 id="features-title">{t('features.title')}</h2>
          <p>{t('features.lead')}</p>
        </header>
        <div className={css.cards}>
          {features.map(([feature, Drawing]) => (
            <article key={feature} className={css.card}>
              <div className={css.drawing}>
                <Drawing />
              </div>
              <h3>{t(`features.${feature}`)}</h3>
              <p>{t(`features.${feature}_text`)}</p>
            </article>
          ))}
        </div>
      </div>
    </section>
  );
}
