import { useEffect, useRef, type RefObject } from 'react';

interface Keys {
  onSelect: (id: string, range: boolean) => void;
  /** Completes the selection, if there is one. */
  onComplete?: () => void;
}

/** After this key a letter belongs to the keys of the portal. */
const PREFIX_KEY = 'g';
const PREFIX_MS = 1500;

/**
 * Keys of a list of steps: J and K move the focus between rows; a letter presses the button of the focused row that
 * carries it as `aria-keyshortcuts`; X selects.
 */
export function useStepKeys(list: RefObject<HTMLElement | null>, keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    let prefixedUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      const key = event.key.toLowerCase();
      const prefixed = event.timeStamp < prefixedUntil;
      prefixedUntil = key === PREFIX_KEY ? event.timeStamp + PREFIX_MS : 0;
      if (prefixed || !list.current) return;
      const rows = [...list.current.querySelectorAll<HTMLElement>('[data-row]')];
      const row = rows.find((one) => one.contains(document.activeElement));
      if (key === 'j' || key === 'k') move(rows, row, key === 'j' ? 1 : -1);
      else if (!row) return;
      else if (key === 'x') latest.current.onSelect(row.dataset.row ?? '', event.shiftKey);
      else if (key === 'c' && latest.current.onComplete) latest.current.onComplete();
      else if (!press(row, event.key.toUpperCase())) return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('textarea, select, input:not([type="checkbox"]), [contenteditable="true"]');
}

/** Moves the focus to the next row; without a focused row to the first open one. */
function move(rows: HTMLElement[], from: HTMLElement | undefined, by: 1 | -1): void {
  const start = rows.find(({ dataset }) => dataset.status !== 'completed') ?? rows[0];
  const to = from ? rows[rows.indexOf(from) + by] : start;
  to?.focus();
  to?.scrollIntoView({ block: 'nearest' });
}

function press(row: HTMLElement, key: string): boolean {
  const button = row.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  button?.click();
  return button !== null;
}
