import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { usePageKeyDown } from '../../ui/pageKeys';
import type { NavItem } from './navigation';

interface Keys {
  items: NavItem[];
  onPalette: () => void;
  onSheet: () => void;
  onSidebar: () => void;
}

/** Keys of every portal page: palette, sheet of keys, sidebar, and `g` with the key of an entry. */
export function useShellKeys({ items, onPalette, onSheet, onSidebar }: Keys): void {
  const navigate = useNavigate();
  usePageKeyDown((event, afterPrefix) => {
    const key = event.key.toLowerCase();
    const target = afterPrefix ? items.find((item) => item.goKey === key) : undefined;
    if (target) void navigate(target.to);
    else if (key === '?') onSheet();
    else if (key === '[') onSidebar();
    else return;
    event.preventDefault();
  });
  usePaletteKey(onPalette);
}

/** The palette opens from fields too. */
function usePaletteKey(onPalette: () => void): void {
  const latest = useRef(onPalette);
  useEffect(() => {
    latest.current = onPalette;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
