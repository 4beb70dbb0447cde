import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { isOverlayOpen, isTyping } from './keys';
import type { NavItem } from './navigation';

/** How long `g` waits for its second key. */
const SEQUENCE_MS = 1500;

interface Keys {
  items: NavItem[];
  onPalette: () => void;
  onSheet: () => void;
  onSidebar: () => void;
}

/** Keys of every portal page: palette, sheet of keys, sidebar, and `g` with the key of an entry. */
export function useShellKeys(keys: Keys): void {
  const navigate = useNavigate();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const { items, onPalette, onSheet, onSidebar } = latest.current;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event) || isOverlayOpen()) return;
      const goes = event.timeStamp < goUntil;
      goUntil = 0;
      const target = goes ? items.find((item) => item.goKey === key) : undefined;
      if (target) void navigate(target.to);
      else if (key === 'g') goUntil = event.timeStamp + SEQUENCE_MS;
      else if (key === '?') onSheet();
      else if (key === '[') onSidebar();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate]);
}
