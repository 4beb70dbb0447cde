import createClient from 'openapi-fetch';
import { ApiError, proxyError, unreachableError } from './errors';
import { isErrorBody } from './proxyResponses';
import type { paths } from './schema';
import { trackedFetch } from './connection';
import { accessToken, clearLocalSession, refreshToken } from './session';

export const api = createClient<paths>({ baseUrl: location.origin, fetch: trackedFetch });

api.use({
  async onRequest({ request }) {
    const token = await accessToken();
    if (token) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  async onResponse({ request, response }) {
    if (response.status === 403) await notifyRequirement(response.clone());
    if (response.status !== 401 || !request.headers.has('authorization')) return undefined;
    // The session may have ended on the server (suspended, password changed) while its token still looks good here.
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
    // A page that was left cancels its reads: that is no failure to speak of.
    return error instanceof DOMException && error.name === 'AbortError' ? undefined : unreachableError();
  },
});

const REQUIREMENT_CODES = new Set(['mfa_required', 'mfa_enrolment_required', 'password_change_required']);
let requirementListener: (() => void) | undefined;

/** Hears when the server wants something done before it answers anything else. */
export function onRequirement(listener: () => void): () => void {
  requirementListener = listener;
  return () => {
    if (requirementListener === listener) requirementListener = undefined;
  };
}

/** Tells of a step that is due, if that is why the server refuses. */
export async function notifyRequirement(answer: Response): Promise<void> {
  const error: unknown = await answer.json().catch(() => null);
  if (isErrorBody(error) && REQUIREMENT_CODES.has(error.code)) requirementListener?.();
}

interface Answer<Body> {
  data?: Body;
  error?: unknown;
  response: Response;
}

/** The body of a good answer; anything else is thrown as an ApiError. */
export async function body<Body>(call: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await call.catch(unread);
  if (response.ok) return data as Body;
  throw new ApiError(
    response.status,
    isErrorBody(error) ? error : null,
    response.headers.get('x-request-id'),
  );
}

/** A good answer that is not the JSON it should be was not the server's. */
function unread(error: unknown): never {
  throw error instanceof SyntaxError ? proxyError(200) : error;
}

/** Two clicks or a retry must not make two rows: one key for each thing a person wants made. */
export function idempotencyHeaders(key: string): { header: { 'Idempotency-Key': string } } {
  return { header: { 'Idempotency-Key': key } };
}

/** Says which version of the row was edited, so that a newer one is not overwritten unseen. */
export function versionedBody(row: { id: string; version: number }) {
  return { path: { id: row.id }, ...ifVersion(row.version) };
}

/** [edited] of what has no id in its address. */
export function ifVersion(version: number): { header: { 'If-Match': string } } {
  return { header: { 'If-Match': `"${version}"` } };
}

/** A file's bytes as they are, to be sent: the generated types know JSON alone. */
export function binaryBody(file: File) {
  return {
    body: file as never,
    bodySerializer: (bytes: unknown) => bytes as BodyInit,
    headers: { 'content-type': 'application/octet-stream' },
  };
}
