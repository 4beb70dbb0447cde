import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { useDraftedIds } from '../../../shared/drafts';

/** The row of a list whose edit dialog is open. After a reload that of a draft, which may be on another page of the list. */
export function useEditedRow<Detail>(
  kind: string,
  query: (id: string) => UseQueryOptions<Detail, Error, Detail, string[]>,
) {
  const [drafted] = useDraftedIds(kind);
  // Rows of lists have no numbers of what depends on them.
  const [row, setRow] = useState<Omit<Detail, 'depends'> | null>();
  const { data } = useQuery({ ...query(drafted ?? ''), enabled: drafted !== undefined && row === undefined });
  return [row === undefined ? (data ?? null) : row, setRow] as const;
}
