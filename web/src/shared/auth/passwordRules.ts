/** The rules that can be told before asking the server; it has the last word. */
import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries';

export const mostBytes = 72;

/** Characters that the office wants of a new password. */
export function useShortest(): number {
  return useQuery(queries.settings()).data?.password_min_length ?? 8;
}

export function passwordFault(password: string, shortest: number): 'too_short' | 'too_long' | undefined {
  if (password.length < shortest) return 'too_short';
  if (new TextEncoder().encode(password).length > mostBytes) return 'too_long';
  return undefined;
}
