/** A super admin who looks at the portal as somebody else sees it, in this tab only. */
import { paths } from '../paths';
import { tabStore } from './browserStorage';

const STORAGE_KEY = 'spv-looking';

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

/** Begins: everything is loaded anew, as that person has it. */
export function startImpersonation(as: Impersonation, home: string): void {
  tabStore.setItem(STORAGE_KEY, JSON.stringify(as));
  location.assign(home);
}

/** It is over: back to the page it was begun from. Whoever waits for this waits until the page is gone. */
export function leaveImpersonation(): Promise<never> {
  const current = currentImpersonation();
  tabStore.removeItem(STORAGE_KEY);
  location.assign(current ? paths.adminUser(current.user) : paths.adminUsers);
  return new Promise<never>(() => undefined);
}

/** Ends it on the server too; when that cannot be reached, the token has but minutes left. */
export async function endImpersonation(): Promise<never> {
  const current = currentImpersonation();
  const headers = { authorization: `Bearer ${current?.token ?? ''}`, 'content-type': 'application/json' };
  await fetch('/rest/v1/impersonation/end', { method: 'POST', headers, body: '{}' }).catch(() => undefined);
  return leaveImpersonation();
}

/**
 * The auth client knows only the super admin's own session. What it reads is read as the person looked at; what it
 * would change is refused here: the client takes some refusals of the server for the end of its session.
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
  const answer = await baseFetch(input, { ...init, headers });
  if (answer.status === 401) return leaveImpersonation();
  if (answer.status !== 403) return answer;
  // Any other 403 of this protocol says that it is over, and would end the super admin's own session.
  return answer.headers.get('x-sb-error-code') === 'read_only' ? readOnlyResponse() : leaveImpersonation();
}

function readOnlyResponse(): Response {
  const body = { code: 'read_only', message: 'Nothing can be changed while looking as somebody else.' };
  return new Response(JSON.stringify(body), {
    status: 409,
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
  });
}
