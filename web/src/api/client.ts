import createClient from 'openapi-fetch';
import { toPublicUrl } from '../basePath';
import { ApiError, proxyError, unreachableError } from './errors';
import { isErrorBody } from './proxyResponses';
import type { paths } from './schema';
import { trackedFetch } from './connection';
import { accessToken, clearLocalSession, refreshToken } from './session';

export const api = createClient<paths>({ baseUrl: toPublicUrl(''), fetch: trackedFetch });

api.use({
  async onRequest({ request }) {
    const token = await accessToken();
    if (token) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  async onResponse({ request, response }) {
    if (response.status === 403) await notifyRequirement(response.clone());
    if (response.status !== 401 || !request.headers.has('authorization')) return undefined;
    // The session may have ended on the server (suspended, password changed) while its access token still looks valid.
    const token = await refreshToken();
    if (!token) {
      await clearLocalSession();
      return undefined;
    }
    if (request.method !== 'GET') return undefined;
    const again = new Request(request);
    again.headers.set('authorization', `Bearer ${token}`);
    return trackedFetch(again);
  },
  onError({ error }) {
    // Navigation aborts pending reads, which is not an error.
    return error instanceof DOMException && error.name === 'AbortError' ? undefined : unreachableError();
  },
});

const REQUIREMENT_CODES = new Set(['mfa_required', 'mfa_enrolment_required', 'password_change_required']);
let requirementListener: (() => void) | undefined;

/** Subscribes to responses that demand MFA or a password change first. */
export function onRequirement(listener: () => void): () => void {
  requirementListener = listener;
  return () => {
    if (requirementListener === listener) requirementListener = undefined;
  };
}

/** Notifies the subscriber if a 403 demands a requirement. */
export async function notifyRequirement(answer: Response): Promise<void> {
  const error: unknown = await answer.json().catch(() => null);
  if (isErrorBody(error) && REQUIREMENT_CODES.has(error.code)) requirementListener?.();
}

interface Answer<Body> {
  data?: Body;
  error?: unknown;
  response: Response;
}

/** The body of a successful response; throws an ApiError otherwise. */
export async function body<Body>(call: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await call.catch(unread);
  if (response.ok) return data as Body;
  throw new ApiError(
    response.status,
    isErrorBody(error) ? error : null,
    response.headers.get('x-request-id'),
  );
}

/** A 2xx response that is not JSON comes from a proxy. */
function unread(error: unknown): never {
  throw error instanceof SyntaxError ? proxyError(200) : error;
}

/** Idempotency-Key header: retries and double clicks with one key create one row. */
export function idempotencyHeaders(key: string): { header: { 'Idempotency-Key': string } } {
  return { header: { 'Idempotency-Key': key } };
}

/** Id and If-Match version of the edited row (optimistic locking). */
export function versionedBody(row: { id: string; version: number }) {
  return { path: { id: row.id }, ...ifVersion(row.version) };
}

/** [versionedBody] for a resource without an id in its path. */
export function ifVersion(version: number): { header: { 'If-Match': string } } {
  return { header: { 'If-Match': `"${version}"` } };
}

/** A file as a raw request body; the generated types know JSON only. */
export function binaryBody(file: File) {
  return {
    body: file as never,
    bodySerializer: (bytes: unknown) => bytes as BodyInit,
    headers: { 'content-type': 'application/octet-stream' },
  };
}
