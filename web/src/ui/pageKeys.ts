import { useEffect, useRef, type RefObject } from 'react';

/** Keyboard shortcuts of a page: single keys, as long as no field, menu or dialog takes them. */

/** After this key a letter names an entry of the navigation. */
export const PREFIX_KEY = 'g';
const PREFIX_MS = 1500;

// An expanded target counts as well: its dropdown mounts a frame later.
const OVERLAYS =
  '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [aria-haspopup][aria-expanded="true"]';
const FIELDS =
  'textarea, select, input:not([type="checkbox"], [type="radio"]), [role="combobox"], [role="textbox"]';

type Handler = (event: KeyboardEvent, afterPrefix: boolean) => void;

/**
 * Listens for keys of the page. A `list` that stands in a dialog itself keeps its keys there, and gets none that follow
 * the prefix.
 */
export function usePageKeyDown(handle: Handler, list?: RefObject<HTMLElement | null>): void {
  const latest = useRef(handle);
  useEffect(() => {
    latest.current = handle;
  });
  useEffect(() => {
    let hasOverlay = false;
    let prefixUntil = 0;
    // In the capture phase: a listener on the way may close the overlay, and React removes it before the next listener.
    const arrive = () => {
      hasOverlay = isOverlayOpen(list?.current);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (hasOverlay || isTyping(event)) return;
      const afterPrefix = event.timeStamp < prefixUntil;
      prefixUntil = !afterPrefix && event.key.toLowerCase() === PREFIX_KEY ? event.timeStamp + PREFIX_MS : 0;
      if (!afterPrefix || !list) latest.current(event, afterPrefix);
    };
    addEventListener('keydown', arrive, { capture: true });
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', arrive, { capture: true });
      removeEventListener('keydown', onKey);
    };
  }, [list]);
}

/** Whether a dialog, menu or list is open or opening, apart from those around `list`. */
function isOverlayOpen(list?: HTMLElement | null): boolean {
  return [...document.querySelectorAll(OVERLAYS)].some((overlay) => !list || !overlay.contains(list));
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(FIELDS));
}
