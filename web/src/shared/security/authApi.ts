import { toPublicPath } from '../../basePath';
import { trackedFetch } from '../../api/connection';
import { ApiError, unreachableError } from '../../api/errors';
import { accessToken } from '../../api/session';
import type { ErrorBody } from '../../api/types';

/** Auth API extensions that auth-js does not know. */
export async function authCall<Body>(
  method: 'GET' | 'DELETE' | 'POST',
  path: string,
  { signal, body }: { signal?: AbortSignal; body?: unknown } = {},
): Promise<Body> {
  const headers = {
    authorization: `Bearer ${(await accessToken()) ?? ''}`,
    'content-type': 'application/json',
    'x-supabase-api-version': '2024-01-01',
  };
  const init = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await trackedFetch(toPublicPath(`/auth/v1${path}`), init).catch((error: unknown) => {
    throw error instanceof DOMException && error.name === 'AbortError' ? error : unreachableError();
  });
  const data: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (response.ok) return data as Body;
  throw new ApiError(response.status, data as ErrorBody | null, response.headers.get('x-request-id'));
}
