import { useLandingMessages } from '../../../messages/landingMessages';
import { AppLink } from '../frame/AppLink';
import { paths } from '../../../paths';
import button from '../frame/Button.module.css';
import css from './CallToAction.module.css';

export function CallToAction({ onStart, onReach }: { onStart: () => void; onReach: () => void }) {
  const t = useLandingMessages();
  return (
    <section id="contact" className={css.section} tabIndex={-1} aria-labelledby="contact-title">
      <div className={css.inner}>
        <div>
          <h2 id="contact-title">{t('call.title')}</h2>
          <p>{t('call.text')}</p>
        </div>
        <div className={css.actions}>
          <button
            type="button"
            className={button.inverse}
            onClick={onStart}
            onPointerEnter={onReach}
            onFocus={onReach}
          >
            {t('call.start')}
          </button>
          <AppLink to={paths.contact} className={button.inverseQuiet}>
            {t('call.contact')}
          </AppLink>
        </div>
      </div>
    </section>
  );
}
