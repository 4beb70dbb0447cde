import { useLandingMessages } from '../../../messages/landingMessages';
import css from './FormationCard.module.css';

const steps = [
  ['name', 'completed'],
  ['filing', 'completed'],
  ['agent', 'completed'],
  ['tax', 'in_progress'],
  ['agreement', 'pending'],
  ['bank', 'pending'],
] as const;

/** Hero illustration: an order in the portal. */
export function FormationCard() {
  const t = useLandingMessages();
  return (
    <figure className={css.card} aria-label={t('order.label')}>
      <figcaption className={css.head}>
        <span className={css.identifier}>{t('order.identifier')}</span>
        <span className={css.sample}>{t('sample')}</span>
      </figcaption>
      <div className={css.summary}>
        <span className={css.place}>{t('order.place')}</span>
        <span className={css.count}>{t('order.count')}</span>
        <span className={css.bar} aria-hidden="true">
          {steps.map(([step, status]) => (
            <span key={step} data-status={status} />
          ))}
        </span>
      </div>
      <ol className={css.steps}>
        {steps.map(([step, status]) => (
          <li key={step} data-status={status}>
            <span className={css.dot} aria-hidden="true" />
            <span className={css.step}>{t(`order.${step}`)}</span>
            <span className={css.status}>{t(`order.${status}`)}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
