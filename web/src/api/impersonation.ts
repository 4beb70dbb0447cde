/** Impersonation: a super admin sees the portal as another user, in this tab only. */
import { basePath, toPublicPath } from '../basePath';
import { paths } from '../paths';
import { tabStore } from './browserStorage';

const STORAGE_KEY = `spv-looking${basePath}`;

export interface Impersonation {
  token: string;
  until: string;
  user: string;
  name: string;
  role: string;
}

export function currentImpersonation(): Impersonation | undefined {
  try {
    return (JSON.parse(tabStore.getItem(STORAGE_KEY) ?? 'null') as Impersonation | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Starts impersonation and reloads the app as that user. */
export function startImpersonation(as: Impersonation, home: string): void {
  tabStore.setItem(STORAGE_KEY, JSON.stringify(as));
  location.assign(toPublicPath(home));
}

/** Ends impersonation in this tab and returns to the user page. Never resolves, because the page is reloading. */
export function leaveImpersonation(): Promise<never> {
  const current = currentImpersonation();
  tabStore.removeItem(STORAGE_KEY);
  location.assign(toPublicPath(current ? paths.adminUser(current.user) : paths.adminUsers));
  return new Promise<never>(() => undefined);
}

/** Ends impersonation on the server too; if unreachable, the token expires within minutes. */
export async function endImpersonation(): Promise<never> {
  const current = currentImpersonation();
  const headers = { authorization: `Bearer ${current?.token ?? ''}`, 'content-type': 'application/json' };
  const url = toPublicPath('/rest/v1/impersonation/end');
  await fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
  return leaveImpersonation();
}

/**
 * Fetch of the auth client, which holds the session of the super admin only. Reads use the impersonation token. Writes
 * are rejected here, because the client takes some errors for the end of its session.
 */
export async function impersonatedFetch(
  baseFetch: typeof fetch,
  input: RequestInfo | URL,
  init?: RequestInit,
): Promise<Response> {
  const current = currentImpersonation();
  const url = input instanceof Request ? input.url : String(input);
  if (!current || url.includes('/auth/v1/token')) return baseFetch(input, init);
  if ((init?.method ?? 'GET') !== 'GET') return readOnlyResponse();
  const headers = new Headers(init?.headers);
  if (headers.has('authorization')) headers.set('authorization', `Bearer ${current.token}`);
  const response = await baseFetch(input, { ...init, headers });
  if (response.status === 401) return leaveImpersonation();
  if (response.status !== 403) return response;
  // Any other 403 means that impersonation ended; the client would end the session of the super admin.
  return response.headers.get('x-sb-error-code') === 'read_only' ? readOnlyResponse() : leaveImpersonation();
}

function readOnlyResponse(): Response {
  const body = { code: 'read_only', message: 'Read-only while you view the portal as another user.' };
  return new Response(JSON.stringify(body), {
    status: 409,
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
  });
}
