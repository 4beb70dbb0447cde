import { useQuery } from '@tanstack/react-query';
import { importFile, type ImportOptions } from './importFile';

/** A file as it was chosen. Two files may have the same name, size and time, so each choice has its own number. */
export interface ChosenFile {
  file: File;
  number: number;
}

/**
 * Report of a run that stores nothing, anew for each file and each change of the options: between two of them the rows of
 * the portal may change. While the same file is tried again as the same kind, its last report stays.
 */
export function useTrial(chosen: ChosenFile | null, options: ImportOptions) {
  return useQuery({
    queryKey: ['import trial', chosen?.number, options.kind, options],
    queryFn: () => importFile((chosen as ChosenFile).file, options, true),
    enabled: chosen !== null,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
    placeholderData: (report, before) =>
      before?.queryKey[1] === chosen?.number && before?.queryKey[2] === options.kind ? report : undefined,
  });
}
