import { flushSync } from 'react-dom';

/**
 * Shows what a form is refused for and goes to the first such field, which may have scrolled away. Whoever has gone on
 * to something else since it was sent, `from` where they were, stays there.
 */
export function focusFirstError(show: () => void = () => undefined, from = document.activeElement): void {
  flushSync(show);
  const now = document.activeElement;
  if (now !== from && now !== document.body) return;
  // Safari leaves the focus nowhere when a button is pressed.
  const form = from?.closest('form') ?? document;
  form.querySelector<HTMLElement>('[aria-invalid="true"]:enabled')?.focus();
}
