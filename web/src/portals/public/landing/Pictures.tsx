import { useEffect, useRef, useState } from 'react';
import { useLandingMessages } from '../../../messages/landingMessages';
import deskDark from './pictures/desk-dark.webp';
import deskLight from './pictures/desk-light.webp';
import figuresDark from './pictures/figures-dark.webp';
import figuresLight from './pictures/figures-light.webp';
import orderDark from './pictures/order-dark.webp';
import orderLight from './pictures/order-light.webp';
import css from './Pictures.module.css';

const pictures = [
  ['order', orderLight, orderDark],
  ['desk', deskLight, deskDark],
  ['figures', figuresLight, figuresDark],
] as const;

/** Size of the pictures in CSS pixels (web/tools/pictures.mjs). */
const SIZE = { width: 1180, height: 760 };

/** Real screens of the product, in the color scheme of the page. They load when the section comes near. */
export function Pictures() {
  const t = useLandingMessages();
  const section = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);

  useEffect(() => {
    if (!section.current) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        setNear(true);
        observer.disconnect();
      },
      { rootMargin: '300px' },
    );
    observer.observe(section.current);
    return () => observer.disconnect();
  }, []);

  return (
    <section ref={section} className={css.section} aria-labelledby="pictures-title">
      <div className={css.inner}>
        <header className={css.head}>
          <h2 id="pictures-title">{t('pictures.title')}</h2>
          <p>{t('pictures.lead')}</p>
        </header>
        {pictures.map(([name, light, dark]) => (
          <figure key={name} className={css.figure}>
            <figcaption>
              <h3>{t(`pictures.${name}`)}</h3>
              <p>{t(`pictures.${name}_text`)}</p>
            </figcaption>
            <div className={css.frame}>
              {near && (
                <>
                  {/* The one of the other scheme is not displayed and not loaded. */}
                  <img
                    className={css.light}
                    src={light}
                    alt={t(`pictures.${name}_alt`)}
                    loading="lazy"
                    {...SIZE}
                  />
                  <img
                    className={css.dark}
                    src={dark}
                    alt={t(`pictures.${name}_alt`)}
                    loading="lazy"
                    {...SIZE}
                  />
                </>
              )}
            </div>
          </figure>
        ))}
      </div>
    </section>
  );
}
