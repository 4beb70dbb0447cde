import {
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
  type AuthError,
} from '@supabase/auth-js';
import { ApiError, passing, secondsIn } from '../../api/errors';

interface Answer {
  data?: unknown;
  error: AuthError | null;
}
type Data<A extends Answer> = Extract<A, { error: null }> extends { data: infer D } ? D : void;

/** What the auth client answered; its error is thrown as the one shape every failed call has. */
export async function granted<A extends Answer>(call: Promise<A>): Promise<Data<A>> {
  const { data, error } = await call;
  if (error) throw refused(error);
  return data as Data<A>;
}

function refused(error: AuthError): ApiError {
  if (isAuthRetryableFetchError(error)) return passing(error);
  const code = isAuthSessionMissingError(error) ? 'session_not_found' : (error.code ?? 'internal');
  const params = {
    ...(isAuthWeakPasswordError(error) && { reasons: error.reasons }),
    ...(error.status === 429 && { seconds: secondsIn(error.message) }),
  };
  return new ApiError(error.status ?? 500, { code, message: error.message, params, request_id: '' });
}
