import type { AuthError } from '@supabase/auth-js';
import {
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
} from '../../api/authErrors';
import { ApiError, temporaryError, secondsFromMessage } from '../../api/errors';

interface AuthResult {
  data?: unknown;
  error: AuthError | null;
}
type AuthData<A extends AuthResult> = Extract<A, { error: null }> extends { data: infer D } ? D : void;

/** Unwraps a result of the auth client; throws its error as ApiError. */
export async function unwrapAuthResult<A extends AuthResult>(call: Promise<A>): Promise<AuthData<A>> {
  const { data, error } = await call;
  if (error) throw toApiError(error);
  return data as AuthData<A>;
}

function toApiError(error: AuthError): ApiError {
  if (isAuthRetryableFetchError(error)) return temporaryError(error);
  const code = isAuthSessionMissingError(error) ? 'session_not_found' : (error.code ?? 'internal');
  const params = {
    ...(isAuthWeakPasswordError(error) && { reasons: error.reasons }),
    ...(error.status === 429 && { seconds: secondsFromMessage(error.message) }),
  };
  return new ApiError(error.status ?? 500, { code, message: error.message, params, request_id: '' });
}
