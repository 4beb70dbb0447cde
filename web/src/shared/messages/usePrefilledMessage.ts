import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** Router state of a link to a conversation: text to prefill the composer with. */
export interface PrefillState {
  prefill: string;
}

/** Location key of the last prefill: a composer that is mounted again does not repeat it. */
let prefilledKey = '';

/** Passes the text that a link prefills to the composer and focuses it, once for each click. */
export function usePrefilledMessage(insert: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { key, state } = useLocation();
  const prefill = (state as Partial<PrefillState> | null)?.prefill;
  useEffect(() => {
    if (!prefill || prefilledKey === key) return;
    prefilledKey = key;
    insert(prefill);
    const place = field.current;
    // After the text is in the field.
    requestAnimationFrame(() => {
      place?.focus({ preventScroll: true });
      place?.setSelectionRange(place.value.length, place.value.length);
    });
    // A reload does not prefill again. Without a navigation, which would load the page's data again.
    globalThis.history.replaceState({ ...(globalThis.history.state as object), usr: null }, '');
  }, [prefill, key, insert]);
  return field;
}

/** The body with a prefill: replaces a blank body and an earlier prefill, and is a new line after text of one's own. */
export function withPrefill({ body, prefill }: { body: string; prefill: string }, text: string): string {
  if (isPrefilled({ body, prefill })) return text;
  return body.includes(text.trim()) ? body : `${body.trimEnd()}\n${text}`;
}

/** Without text of one's own: blank, or the prefill as it was inserted. */
export function isPrefilled({ body, prefill }: { body: string; prefill: string }): boolean {
  return ['', prefill.trim()].includes(body.trim());
}
