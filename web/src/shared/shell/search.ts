import type { Command, CommandGroup, SearchResult } from './Palette';

interface ListQuery<Row> {
  data: Row[] | undefined;
  isPlaceholderData: boolean;
  error: Error | null;
}

/** Rows of a list as a group of the palette. */
export function resultGroup<Row>(
  label: string,
  query: ListQuery<Row>,
  command: (row: Row) => Command,
): SearchResult {
  const isAnswered = query.data !== undefined && !query.isPlaceholderData;
  return {
    groups: [{ label, commands: isAnswered ? (query.data?.map(command) ?? []) : [] }],
    error: query.error,
    isSettled: isAnswered || query.error !== null,
  };
}

/** Results of several lists for `q`. */
export function combineResults(q: string, ...results: SearchResult[]): SearchResult {
  if (q === '') return { groups: [], error: null, isSettled: true };
  const groups: CommandGroup[] = results.flatMap((result) => result.groups);
  return {
    groups,
    error: results.find(({ error }) => error)?.error ?? null,
    isSettled: results.every(({ isSettled }) => isSettled),
  };
}
