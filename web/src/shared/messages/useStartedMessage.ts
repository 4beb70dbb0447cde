import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** Router state of a link to a conversation: the beginning of the message. */
export interface MessageState {
  message: string;
}

/** Key of the location whose message is in the composer already, also when that was mounted again. */
let startedKey = '';

/** Puts the message that a link began into an empty composer and focuses it, once for each click. */
export function useStartedMessage(start: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { key, state } = useLocation();
  const message = (state as Partial<MessageState> | null)?.message;
  useEffect(() => {
    if (!message || startedKey === key) return;
    startedKey = key;
    start(message);
    const place = field.current;
    // After the text is in the field.
    requestAnimationFrame(() => {
      place?.focus({ preventScroll: true });
      place?.setSelectionRange(place.value.length, place.value.length);
    });
    // A reload does not start it again. Without a navigation, which would load the page's data again.
    globalThis.history.replaceState({ ...(globalThis.history.state as object), usr: null }, '');
  }, [message, key, start]);
  return field;
}
