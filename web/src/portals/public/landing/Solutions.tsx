import { useRef, useState, type KeyboardEvent } from 'react';
import { useLandingMessages } from '../../../messages/landingMessages';
import { Logo } from '../../../ui/Logo';
import { ClientPreview } from './previews/ClientPreview';
import { EmployeePreview } from './previews/EmployeePreview';
import { IsoPreview } from './previews/IsoPreview';
import css from './Solutions.module.css';

const previews = [
  ['client', ClientPreview],
  ['employee', EmployeePreview],
  ['iso', IsoPreview],
] as const;

const arrowKeyOffsets: Record<string, (index: number) => number> = {
  ArrowRight: (index) => (index + 1) % previews.length,
  ArrowLeft: (index) => (index + previews.length - 1) % previews.length,
  Home: () => 0,
  End: () => previews.length - 1,
};

export function Solutions() {
  const t = useLandingMessages();
  const [shown, setShown] = useState(0);
  const tabs = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const move = arrowKeyOffsets[event.key];
    if (!move) return;
    event.preventDefault();
    const next = move(shown);
    setShown(next);
    tabs.current?.querySelectorAll<HTMLButtonElement>('[role=tab]')[next]?.focus();
  };

  return (
    <section id="solutions" className={css.section} tabIndex={-1} aria-labelledby="solutions-title">
      <div className={css.inner}>
        <header className={css.head}>
          <h2 id="solutions-title">{t('solutions.title')}</h2>
          <p>{t('solutions.lead')}</p>
        </header>
        <div
          ref={tabs}
          role="tablist"
          tabIndex={-1}
          aria-label={t('solutions.tabs')}
          className={css.tabs}
          onKeyDown={onKeyDown}
        >
          {previews.map(([name], index) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-controls={`preview-${name}`}
              aria-selected={index === shown}
              tabIndex={index === shown ? 0 : -1}
              onClick={() => setShown(index)}
            >
              {t(`solutions.${name}`)}
            </button>
          ))}
        </div>
        <div className={css.window}>
          <div className={css.bar}>
            <Logo size={16} />
            <span>{t(`solutions.${previews[shown]?.[0] ?? 'client'}`)}</span>
            <span className={css.sample}>{t('sample')}</span>
          </div>
          <div className={css.panels}>
            {previews.map(([name, Preview], index) => (
              <div
                key={name}
                role="tabpanel"
                id={`preview-${name}`}
                aria-labelledby={`tab-${name}`}
                className={css.panel}
                data-shown={index === shown || undefined}
                tabIndex={0}
              >
                <Preview />
              </div>
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}
