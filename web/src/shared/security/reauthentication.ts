import { ApiError } from '../../api/errors';
import { auth } from '../../api/session';

/**
 * Reauthentication: the server changes MFA factors only with a recent proof. [ReauthenticationDialog] asks for it in
 * place, then the action continues.
 */

/** Slightly below the server limit of ten minutes. */
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

/** Shows the dialog; false if cancelled. Concurrent calls share it. */
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

/** Whether the last proof is too old. On error the server decides. */
export async function needsReauthentication(now = Date.now()): Promise<boolean> {
  const { data } = await auth.mfa.getAuthenticatorAssuranceLevel();
  const proofs = (data?.currentAuthenticationMethods ?? []).filter((proof) => typeof proof !== 'string');
  const newest = Math.max(
    ...proofs.filter(({ method }) => method !== 'token_refresh').map(({ timestamp }) => timestamp),
  );
  return Number.isFinite(newest) && now / 1000 - newest > REAUTH_WINDOW_SECONDS;
}

/** Runs an action; on `reauthentication_needed`, reauthenticates and retries once. */
export async function withReauthentication<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const needed = error instanceof ApiError && error.code === 'reauthentication_needed';
    if (!needed || !(await reauthenticate())) throw error;
    return action();
  }
}
