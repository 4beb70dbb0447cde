import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { useRestoresScroll } from './firstLocation';

/** Scrolls to the section of the address once the component is there; not after back or forward. */
export function useScrollToHash(): void {
  // New for each link, also one to the same section.
  const location = useLocation();
  const restoresScroll = useRestoresScroll();
  useEffect(() => {
    const { hash } = location;
    if (hash && !restoresScroll) document.getElementById(hash.slice(1))?.scrollIntoView({ block: 'start' });
  }, [location, restoresScroll]);
}
