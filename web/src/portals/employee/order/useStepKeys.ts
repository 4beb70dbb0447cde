import type { RefObject } from 'react';
import { usePageKeyDown } from '../../../ui/pageKeys';

interface Keys {
  onSelect: (id: string, range: boolean) => void;
  /** Completes the selection, if there is one. */
  onComplete?: () => void;
}

/**
 * Keys of a list of steps: J and K move the focus between rows; a letter presses the button of the focused row that
 * carries it as `aria-keyshortcuts`; X selects.
 */
export function useStepKeys(list: RefObject<HTMLElement | null>, { onSelect, onComplete }: Keys): void {
  usePageKeyDown((event) => {
    if (!list.current) return;
    const key = event.key.toLowerCase();
    const rows = [...list.current.querySelectorAll<HTMLElement>('[data-row]')];
    const row = rows.find((one) => one.contains(document.activeElement));
    if (key === 'j' || key === 'k') move(rows, row, key === 'j' ? 1 : -1);
    // A key held down acts once.
    else if (!row || event.repeat) return;
    else if (key === 'x') onSelect(row.dataset.row ?? '', event.shiftKey);
    else if (key === 'c' && onComplete) onComplete();
    else if (!press(row, event.key.toUpperCase())) return;
    event.preventDefault();
  }, list);
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
