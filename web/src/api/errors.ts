import i18next from 'i18next';
import { dateTime } from '../messages/format';
import { actorName } from '../messages/actorName';
import { BAD_GATEWAY, proxyErrorBody, isErrorBody, statusFromMessage } from './proxyResponses';
import type { ErrorBody } from './types';

type Params = Record<string, unknown>;

/** Error of any failed call. `status` 0: the server was not reached. */
export class ApiError extends Error {
  readonly code: string;
  readonly params: Params;
  readonly fields: NonNullable<ErrorBody['fields']>;
  readonly requestId: string | null;

  constructor(
    readonly status: number,
    body: ErrorBody | null,
    requestId: string | null = null,
  ) {
    super(body?.message ?? `HTTP ${status}`);
    this.name = 'ApiError';
    this.code = body?.code ?? (status === 503 ? 'unavailable' : 'internal');
    this.params = body?.params ?? {};
    this.fields = body?.fields ?? [];
    this.requestId = body?.request_id ?? requestId;
  }
}

export function unreachableError(): ApiError {
  return new ApiError(0, { code: 'unreachable', message: 'The server cannot be reached.', request_id: '' });
}

/** Error for the response of a proxy in front of the portal. */
export function proxyError(status: number): ApiError {
  return new ApiError(BAD_GATEWAY, proxyErrorBody(status));
}

/** Error for a response that did not pass through `trackedFetch`, such as an upload. */
export function responseError(status: number, body: string): ApiError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isErrorBody(parsed)) return new ApiError(status, parsed);
  } catch {
    // HTML, most likely a page of a proxy.
  }
  return proxyError(status);
}

/** Error for a temporary failure of the auth client: no response, or one that says nothing about the session. */
export function temporaryError({ status, message }: { status?: number; message: string }): ApiError {
  if (!status) return unreachableError();
  return status === BAD_GATEWAY ? proxyError(statusFromMessage(message)) : new ApiError(503, null);
}

/** The auth client hides response headers, so Retry-After is parsed from the message. */
export function secondsFromMessage(message: string): number | undefined {
  const found = /(\d+)\s*s/.exec(message)?.[1];
  return found ? Number(found) : undefined;
}

export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Localized message of an error, or the server message if the catalogue has none. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t('errors:internal');
  const field = error.code === 'invalid' && error.fields[0];
  if (field) return `${fieldName(field.field)}: ${fieldText(field)}`;
  return localized(`errors:${error.code}`, error.params) ?? error.message;
}

export function fieldText(field: { code: string; params?: Params | null; message: string }): string {
  return localized(`errors:fields.${field.code}`, field.params ?? {}) ?? field.message;
}

function fieldName(field: string): string {
  const key = `names:field.${field}`;
  return i18next.exists(key) ? i18next.t(key) : field.replaceAll('_', ' ');
}

/** Validation errors for a form: field name → message. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.fields.map((field) => [field.field, fieldText(field)]));
}

function localized(key: string, params: Params): string | null {
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, readable(name, value)]),
  );
  return i18next.exists(key, values) ? i18next.t(key, values) : null;
}

function readable(name: string, value: unknown): unknown {
  if (name.endsWith('_at') && typeof value === 'string') return dateTime(value);
  if (name === 'changed_by' && typeof value === 'string') return actorName(i18next.t, value);
  return Array.isArray(value) ? value.join(', ') : value;
}
