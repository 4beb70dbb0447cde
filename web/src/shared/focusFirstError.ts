import { flushSync } from 'react-dom';

/**
 * Focuses the first invalid field of a form, which may be scrolled out of view, unless the user has moved the focus
 * since submission (`from`).
 */
export function focusFirstError(show: () => void = () => undefined, from = document.activeElement): void {
  flushSync(show);
  const now = document.activeElement;
  if (now !== from && now !== document.body) return;
  // Safari does not focus buttons on click.
  const form = from?.closest('form') ?? document;
  form.querySelector<HTMLElement>('[aria-invalid="true"]:enabled')?.focus();
}
