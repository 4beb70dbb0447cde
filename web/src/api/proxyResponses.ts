/**
 * Answers of a proxy in front of the portal (nginx, a gateway, a firewall, a sign-in page), told apart from the server's
 * own. The server answers a refusal in JSON with a code, and never answers a call with a page.
 */
import type { ErrorBody } from './types';

/** The status that stands for every answer that is not ours: worth another try, and no end of a session. */
export const BAD_GATEWAY = 502;

const unreachable = [502, 503, 504, 520, 521, 522, 523, 524, 530];

function errorCode(status: number): string {
  if (status === 413) return 'proxy_too_large';
  if (unreachable.includes(status)) return 'proxy_unreachable';
  return status < 400 ? 'proxy_page' : 'proxy_refused';
}

/** What a foreign answer with this status says, in our own shape. */
export function proxyErrorBody(status: number): ErrorBody {
  return { code: errorCode(status), message: `HTTP ${status}`, params: { status }, request_id: '' };
}

/** The auth client hides everything of an answer but its sentence, so the status is read from there. */
export function statusFromMessage(message: string): number {
  return Number(/\d{3}/.exec(message)?.[0] ?? BAD_GATEWAY);
}

/** Refusals of the server have a code; those of the auth protocol a `msg` or an `error`. */
export function isErrorBody(value: unknown): value is ErrorBody {
  const said = value as Partial<Record<'code' | 'message', unknown>> | null;
  return typeof said === 'object' && typeof said?.code === 'string' && typeof said.message === 'string';
}

function isServerResponse(value: unknown): boolean {
  if (isErrorBody(value)) return true;
  return typeof value === 'object' && value !== null && ('error_code' in value || 'error' in value);
}

async function isProxyResponse(answer: Response): Promise<boolean> {
  const kind = answer.headers.get('content-type') ?? '';
  if (answer.ok) return kind.startsWith('text/html');
  if (answer.status < 400) return false;
  if (!kind.startsWith('application/json')) return true;
  return !isServerResponse(
    await answer
      .clone()
      .json()
      .catch(() => null),
  );
}

/** The answer, or in place of a foreign one a refusal in our own shape, which every reader of answers words alike. */
export async function normalizeResponse(answer: Response): Promise<Response> {
  if (!(await isProxyResponse(answer))) return answer;
  const body = proxyErrorBody(answer.status);
  return Response.json({ ...body, error_code: body.code }, { status: BAD_GATEWAY });
}
