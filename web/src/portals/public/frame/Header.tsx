import { useState } from 'react';
import { IconMenu2, IconX } from '@tabler/icons-react';
import { useLandingMessages } from '../../../messages/landingMessages';
import { paths } from '../../../paths';
import { sections } from '../landing/sections';
import { AppLink } from './AppLink';
import { Logo } from '../../../ui/Logo';
import { DisplaySettings } from './DisplaySettings';
import { useBrand } from './useBrand';
import button from './Button.module.css';
import css from './Header.module.css';

interface Props {
  onLogin: () => void;
  /** Pointer or keyboard focus on the Login button. */
  onReach: () => void;
  /** The sections are on the current page. */
  onLanding?: boolean;
}

export function Header({ onLogin, onReach, onLanding = false }: Props) {
  const t = useLandingMessages();
  const brand = useBrand();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <header
      className={css.header}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <a href="#content" className={css.skip}>
        {t('frame.skip')}
      </a>
      <div className={css.bar}>
        <AppLink to={paths.landing} className={css.brand} aria-label={t('frame.home', { brand })}>
          <Logo />
          {brand}
        </AppLink>
        <button
          type="button"
          className={css.menu}
          aria-label={t('frame.menu')}
          aria-expanded={open}
          aria-controls="site-menu"
          onClick={() => setOpen(!open)}
        >
          {open ? <IconX size={20} stroke={1.5} /> : <IconMenu2 size={20} stroke={1.5} />}
        </button>
        <div id="site-menu" className={css.panel} data-open={open || undefined}>
          <nav aria-label={t('frame.main_nav')}>
            {sections.map((section) =>
              onLanding ? (
                <a key={section} href={`#${section}`} onClick={close}>
                  {t(`frame.${section}`)}
                </a>
              ) : (
                <AppLink key={section} to={`${paths.landing}#${section}`}>
                  {t(`frame.${section}`)}
                </AppLink>
              ),
            )}
          </nav>
          <DisplaySettings />
        </div>
        <button
          type="button"
          className={button.smallDefault}
          onClick={onLogin}
          onPointerEnter={onReach}
          onFocus={onReach}
        >
          {t('frame.login')}
        </button>
      </div>
    </header>
  );
}
