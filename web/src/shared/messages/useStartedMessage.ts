import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/** Router state of a link to a conversation: the beginning of the message. */
export interface MessageState {
  message: string;
}

/**
 * Puts the message that a link began into an empty composer and focuses it, once: the state is removed from the
 * history, so that a reload after sending does not bring it back.
 */
export function useStartedMessage(start: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  const location = useLocation();
  const navigate = useNavigate();
  const message = (location.state as Partial<MessageState> | null)?.message;
  useEffect(() => {
    if (!message) return;
    start(message);
    const place = field.current;
    // After the text is in the field.
    requestAnimationFrame(() => {
      place?.focus({ preventScroll: true });
      place?.setSelectionRange(place.value.length, place.value.length);
    });
    void navigate(location, { replace: true, state: null, preventScrollReset: true });
  }, [message, location, navigate, start]);
  return field;
}
