import type { ReactNode } from 'react';

/** Column of a [DataGrid]. */
export interface GridColumn<Row> {
  key: string;
  header: string;
  /** How the figures are counted. */
  explain?: string;
  cell: (row: Row) => ReactNode;
  /** Text of the link that opens the row, above the cell. */
  link?: (row: Row) => ReactNode;
  align?: 'right';
  /** Name of the sort key. */
  sort?: string;
  /** The first click sorts descending: dates and amounts. */
  descendingFirst?: boolean;
  /** Column of buttons: header for screen readers only, always shown. */
  actions?: boolean;
  /** Not shown until it is chosen. */
  hidden?: boolean;
  /** Kept unbroken: email, phone. */
  whole?: boolean;
  /** Left out on screens narrower than 1000 px. */
  extra?: boolean;
  width?: number;
  /** Sums under the column, one for each currency. */
  sums?: string[];
  /** Place in the two lines of a row on phones, or whole below them; without one it is left out there. */
  phone?: 'title' | 'side' | 'text' | 'end' | 'below';
}

export type Density = 'compact' | 'normal' | 'roomy';
export const densities: Density[] = ['compact', 'normal', 'roomy'];

/** State of a list. The types enforce loading and error handling. */
export interface GridState<Row> {
  rows: Row[] | undefined;
  /** Rows belong to the previous query; the new response is pending. */
  stale?: boolean;
  error: string | null;
  retry: () => void;
  /** Set if there are more rows. */
  more?: { load: () => void; loading: boolean };
  /** The number of rows on all pages; `exact` is false where there are more. */
  total?: { rows: number; exact: boolean };
}

/** Sort key with its direction, as in the URL: `name` or `-name`. */
export interface Sort {
  key: string;
  descending: boolean;
}

export function parseSort(text: string): Sort | null {
  if (!text) return null;
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

export function sortText({ key, descending }: Sort): string {
  return descending ? `-${key}` : key;
}

/** Order after a click on a column: first direction, other direction, default of the list. */
export function nextSort<Row>(column: GridColumn<Row>, sort: Sort | null): Sort | null {
  const key = column.sort ?? '';
  const first = column.descendingFirst === true;
  if (sort?.key !== key) return { key, descending: first };
  return sort.descending === first ? { key, descending: !first } : null;
}
