import { ApiError } from '../../api/errors';
import { auth } from '../../api/session';

/**
 * Reauthentication: the server changes second factors only for a session whose person has proved lately who they are. The
 * dialog of [ProofDialog] asks for that in place, and what was begun goes on.
 */

/** The server allows ten minutes; a little less, so that what is begun in time is done in time. */
const REAUTH_WINDOW_SECONDS = 9 * 60;

interface Prompt {
  answer: (proved: boolean) => void;
}

let prompt: Prompt | undefined;
const listeners = new Set<() => void>();

function setPrompt(next: Prompt | undefined): void {
  prompt = next;
  for (const listener of listeners) listener();
}

export function onPromptChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const currentPrompt = (): Prompt | undefined => prompt;

/** Asks the person to sign in again; false: they would not. Who asks while another waits, waits with them. */
export function reauthenticate(): Promise<boolean> {
  const waiting = prompt;
  return new Promise((resolve) => {
    setPrompt({
      answer: (proved) => {
        setPrompt(undefined);
        waiting?.answer(proved);
        resolve(proved);
      },
    });
  });
}

/** Whether the last proof of this session is too old. When it cannot be found out, the server will say. */
export async function needsReauthentication(now = Date.now()): Promise<boolean> {
  const { data } = await auth.mfa.getAuthenticatorAssuranceLevel();
  const proofs = (data?.currentAuthenticationMethods ?? []).filter((proof) => typeof proof !== 'string');
  const newest = Math.max(
    ...proofs.filter(({ method }) => method !== 'token_refresh').map(({ timestamp }) => timestamp),
  );
  return Number.isFinite(newest) && now / 1000 - newest > REAUTH_WINDOW_SECONDS;
}

/** Does something that needs a recent proof, and once more when the server asked for one and got it. */
export async function withReauthentication<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const needed = error instanceof ApiError && error.code === 'reauthentication_needed';
    if (!needed || !(await reauthenticate())) throw error;
    return action();
  }
}
