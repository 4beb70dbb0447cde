/** Landing page, rendered before router, auth client and query cache: keep its imports few. */
import { useEffect, useLayoutEffect, useState } from 'react';
import { clearReturnPath, readReturnPath } from '../../../shared/returnPath';
import { NavigateProvider } from '../frame/AppLink';
import { Footer } from '../frame/Footer';
import { Header } from '../frame/Header';
import { useAccessDialog } from '../frame/useAccessDialog';
import { AboutBand } from './AboutBand';
import { CallToAction } from './CallToAction';
import { Features } from './Features';
import { Hero } from './Hero';
import { Pictures } from './Pictures';
import { scrollToAnchor } from './sections';
import { Solutions } from './Solutions';
import { removeShell } from '../../../shell';
import css from './Landing.module.css';

interface Props {
  go: (path: string) => void;
  /** Prefetches the app. */
  warm?: () => void;
  /** The page was in the document before (prerendered.ts). */
  prerendered?: boolean;
  /** The page reacts to the visitor. */
  onMounted?: () => void;
}

export function Landing({ go, warm, prerendered = false, onMounted }: Props) {
  const [hasReturnPath] = useState(() => readReturnPath() !== null);
  const access = useAccessDialog({ redirected: hasReturnPath, onClose: clearReturnPath });

  const open = () => {
    access.open();
    warm?.();
  };

  useLayoutEffect(removeShell, []);

  useEffect(() => {
    if (hasReturnPath) warm?.();
  }, [hasReturnPath, warm]);

  useEffect(() => {
    if (!prerendered) scrollToAnchor();
  }, [prerendered]);

  useEffect(() => onMounted?.(), [onMounted]);

  return (
    <NavigateProvider value={go}>
      <div className={css.page}>
        <Header onLogin={open} onReach={access.warm} onLanding />
        <main id="content" tabIndex={-1}>
          <Hero onStart={open} onReach={access.warm} />
          <Features />
          <Solutions />
          <Pictures />
          <AboutBand />
          <CallToAction onStart={open} onReach={access.warm} />
        </main>
        <Footer />
        {access.dialog}
      </div>
    </NavigateProvider>
  );
}
