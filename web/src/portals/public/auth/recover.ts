import i18next from 'i18next';
import type { Problem } from '../../../shared/auth/problem';

/**
 * Asks for a recovery mail. Not through the auth client: its request would bind the link to this
 * browser, and people open their mail on another device.
 */
export async function recover(email: string): Promise<Problem | undefined> {
  const say = (key: string) => i18next.t(`public:problem.${key}`);
  const answer = await fetch('/auth/v1/recover', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ email }),
  }).catch(() => undefined);
  if (!answer) return { text: say('offline') };
  if (answer.ok) return undefined;
  const { message } = (await answer.json().catch(() => ({}))) as { message?: string };
  return {
    text: message ?? say('unavailable'),
    wait: answer.status === 429 ? Number(answer.headers.get('retry-after')) || undefined : undefined,
  };
}
