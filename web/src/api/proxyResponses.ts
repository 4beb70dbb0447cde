/**
 * Proxy responses: tells responses of a proxy in front of the portal (nginx, gateway, firewall, login page) from those
 * of the server. Server errors are JSON with a code; the server never answers a call with a page.
 */
import type { ErrorBody } from './types';

/** Status that replaces every proxy error: retryable, and never ends the session. */
export const BAD_GATEWAY = 502;

const unreachable = [502, 503, 504, 520, 521, 522, 523, 524, 530];

function errorCode(status: number): string {
  if (status === 413) return 'proxy_too_large';
  if (unreachable.includes(status)) return 'proxy_unreachable';
  return status < 400 ? 'proxy_page' : 'proxy_refused';
}

/** API error for a proxy response with this status. */
export function proxyErrorBody(status: number): ErrorBody {
  return { code: errorCode(status), message: `HTTP ${status}`, params: { status }, request_id: '' };
}

/** The auth client keeps only the message of a response, so the status is parsed from it. */
export function statusFromMessage(message: string): number {
  return Number(/\d{3}/.exec(message)?.[0] ?? BAD_GATEWAY);
}

/** Server errors have a `code`; those of the auth API a `msg` or `error`. */
export function isErrorBody(value: unknown): value is ErrorBody {
  const said = value as Partial<Record<'code' | 'message', unknown>> | null;
  return typeof said === 'object' && typeof said?.code === 'string' && typeof said.message === 'string';
}

function isServerResponse(value: unknown): boolean {
  if (isErrorBody(value)) return true;
  return typeof value === 'object' && value !== null && ('error_code' in value || 'error' in value);
}

async function isProxyResponse(response: Response): Promise<boolean> {
  const kind = response.headers.get('content-type') ?? '';
  if (response.ok) return kind.startsWith('text/html');
  if (response.status < 400) return false;
  if (!kind.startsWith('application/json')) return true;
  return !isServerResponse(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
}

/** The response, or an API error in place of a proxy response. */
export async function normalizeResponse(response: Response): Promise<Response> {
  if (!(await isProxyResponse(response))) return response;
  const body = proxyErrorBody(response.status);
  return Response.json({ ...body, error_code: body.code }, { status: BAD_GATEWAY });
}
