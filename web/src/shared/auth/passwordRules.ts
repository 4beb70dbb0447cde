/** The rules that can be told before asking the server; it has the last word. */
import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries';

/** Characters that the office wants of a new password. */
export function useMinPasswordLength(): number {
  return useQuery(queries.settings()).data?.password_min_length ?? 8;
}
