import { useEffect, useState, type RefObject } from 'react';

/**
 * Keeps the header row under the top bar. A table that fits is not in a scroll container, so `position: sticky` works.
 * A wider one scrolls sideways in its box, where the header is moved by the distance that the page has scrolled.
 */
export function useStickyHead(box: RefObject<HTMLElement | null>, ready: boolean): boolean {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const element = box.current;
    const table = element?.querySelector('table');
    if (!ready || !element || !table) return undefined;
    const measure = () => setWide(table.scrollWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(table);
    measure();
    return () => observer.disconnect();
  }, [box, ready]);
  useEffect(() => {
    const element = box.current;
    const head = element?.querySelector('thead');
    if (!wide || !element || !head) return undefined;
    let frame = 0;
    const place = () => {
      frame = 0;
      const top = Number.parseFloat(getComputedStyle(head).getPropertyValue('--spv-topbar')) || 0;
      const { top: begin, height } = element.getBoundingClientRect();
      const shift = Math.min(Math.max(top - begin, 0), Math.max(height - 2 * head.offsetHeight, 0));
      head.style.transform = shift > 0 ? `translateY(${shift}px)` : '';
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(place);
    };
    place();
    globalThis.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      globalThis.removeEventListener('scroll', onScroll);
      head.style.transform = '';
    };
  }, [box, wide]);
  return wide;
}
