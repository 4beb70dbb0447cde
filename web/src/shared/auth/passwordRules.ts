/** Client-side password rules; the server decides. */
import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries';

/** Configured minimum length of new passwords. */
export function useMinPasswordLength(): number {
  return useQuery(queries.settings()).data?.password_min_length ?? 8;
}
