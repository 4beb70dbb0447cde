import { useEffect, useRef, useState } from 'react';
import { canSuggestPasskeys, cancelPasskey, usePasskeys } from '../../../shared/auth/passkeys';
import type { Portal } from '../../../paths';
import { signInByPasskey, type SignInOutcome } from './signIn';

/** Pending suggestions get a new challenge before theirs expires, which is five minutes on the server. */
const CHALLENGE_RENEWAL_MS = 4 * 60_000;

interface Options {
  portal: Portal;
  remember: boolean;
  onOutcome: (outcome: SignInOutcome) => void;
}

/** Sign-in with a passkey: suggestions in the email field (conditional UI), and the button. */
export function usePasskeySignIn({ portal, remember, onOutcome }: Options) {
  const available = usePasskeys();
  const [busy, setBusy] = useState(false);
  const latest = useRef({ remember, onOutcome });
  useEffect(() => {
    latest.current = { remember, onOutcome };
  });

  useEffect(() => {
    if (!available || busy) return;
    const stop = new AbortController();
    const suggest = async () => {
      if (!(await canSuggestPasskeys())) return;
      while (!stop.signal.aborted) {
        let renewing = false;
        const renewal = setTimeout(() => {
          renewing = true;
          cancelPasskey();
        }, CHALLENGE_RENEWAL_MS);
        const outcome = await signInByPasskey(portal, () => latest.current.remember, 'conditional').finally(
          () => clearTimeout(renewal),
        );
        if (stop.signal.aborted) return;
        if (outcome) latest.current.onOutcome(outcome);
        // Another attempt only after a person's choice, so that a failing server is not asked in a loop.
        if (!renewing && !outcome?.retry) return;
      }
    };
    void suggest();
    return () => {
      stop.abort();
      cancelPasskey();
    };
  }, [available, busy, portal]);

  const signIn = async () => {
    setBusy(true);
    const outcome = await signInByPasskey(portal, () => remember);
    setBusy(false);
    if (outcome) onOutcome(outcome);
  };
  return { available, busy, signIn };
}
