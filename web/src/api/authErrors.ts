/** Kinds of auth client errors, distinguished by name: the library's own checks would load it. */
import type {
  AuthError,
  AuthRetryableFetchError,
  AuthSessionMissingError,
  AuthWeakPasswordError,
} from '@supabase/auth-js';

export function isAuthRetryableFetchError(error: AuthError): error is AuthRetryableFetchError {
  return error.name === 'AuthRetryableFetchError';
}

export function isAuthSessionMissingError(error: AuthError): error is AuthSessionMissingError {
  return error.name === 'AuthSessionMissingError';
}

export function isAuthWeakPasswordError(error: AuthError): error is AuthWeakPasswordError {
  return error.name === 'AuthWeakPasswordError';
}

/** Another sign-in or sign-out won during a refresh. */
export function isAuthRefreshDiscardedError(error: AuthError | null): boolean {
  return error?.name === 'AuthRefreshDiscardedError';
}
