import { api, body } from '../../../api/client';
import type { ImportKind, ImportReport } from '../../../api/types';

export const kinds: readonly ImportKind[] = ['clients', 'companies', 'isos', 'spvs', 'invoices', 'payments'];
export const dateFormats = ['DD.MM.YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'] as const;

/** How the file is read, beyond what is detected. */
export interface ImportOptions {
  kind: ImportKind;
  /** Headers with the column that they are read as; an empty one skips the header. */
  map: Record<string, string>;
  ignoreUnknown: boolean;
  /** Of a workbook; empty for the first one. */
  sheet: string;
  dateFormat: string;
  decimalComma: '' | 'true' | 'false';
  update: boolean;
}

export const initialOptions: ImportOptions = {
  kind: 'clients',
  map: {},
  ignoreUnknown: false,
  sheet: '',
  dateFormat: '',
  decimalComma: '',
  update: false,
};

export const isWorkbook = (file: File) => file.name.toLowerCase().endsWith('.xlsx');

export function importFile(file: File, options: ImportOptions, dryRun: boolean): Promise<ImportReport> {
  const { kind, map, ignoreUnknown, sheet, dateFormat, decimalComma, update } = options;
  return body(
    api.POST('/rest/v1/imports', {
      params: {
        query: {
          kind,
          file_name: file.name,
          dry_run: dryRun,
          update,
          map: JSON.stringify(map),
          ignore_unknown: ignoreUnknown,
          sheet: sheet || undefined,
          date_format: dateFormat || undefined,
          decimal_comma: decimalComma ? decimalComma === 'true' : undefined,
        },
      },
      headers: { 'content-type': 'application/octet-stream' },
      // The generated type of a binary body is a string.
      body: file as unknown as string,
      bodySerializer: (content: unknown) => content as File,
    }),
  );
}
