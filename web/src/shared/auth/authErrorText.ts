/** Messages of auth client errors. */
import type { AuthError } from '@supabase/auth-js';
import i18next from 'i18next';
import { isAuthRetryableFetchError, isAuthWeakPasswordError } from '../../api/authErrors';
import { errorText, temporaryError, secondsFromMessage } from '../../api/errors';

export interface Problem {
  text: string;
  /** Seconds until a retry is allowed. */
  wait?: number;
}

const messageText = (key: string, values?: Record<string, unknown>) => i18next.t(`public:${key}`, values);

export function authErrorText(error: AuthError): Problem {
  if (isAuthRetryableFetchError(error)) {
    const temporary = temporaryError(error);
    if (temporary.code.startsWith('proxy_')) return { text: errorText(temporary) };
    return { text: messageText(error.status ? 'problem.unavailable' : 'problem.offline') };
  }
  if (isAuthWeakPasswordError(error)) return { text: weakness(error.reasons) || error.message };
  const key = `errors:${error.code}`;
  const wait = error.status === 429 ? secondsFromMessage(error.message) : undefined;
  const text = i18next.exists(key) ? i18next.t(key, { seconds: wait }) : error.message;
  return { text, wait };
}

export function weakness(reasons: string[]): string {
  return reasons.map((reason) => messageText(`weak.${reason}`)).join(' ');
}
