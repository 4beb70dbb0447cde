import { Button } from '@mantine/core';
import { IconFileTypeCsv } from '@tabler/icons-react';
import { createContext, useContext, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { InfoTooltip } from '../InfoTooltip';
import { saveBlob } from '../saveText';
import classes from './FigureTable.module.css';

type RawValue = string | number | null;

export interface FigureColumn<Row> {
  key: string;
  header: string;
  /** How it is counted. */
  explain?: string;
  cell: (row: Row) => ReactNode;
  /** Raw value for the CSV. */
  plain?: (row: Row) => RawValue;
  /** Total in the last row. */
  total?: ReactNode;
}

interface Props<Row> {
  label: string;
  /** The first column is the row header. */
  first: {
    header: string;
    cell: (row: Row) => ReactNode;
    plain?: (row: Row) => RawValue;
    total?: string;
    /** Wraps a name in a link to the rows counted. */
    link?: (row: Row, name: ReactNode) => ReactNode;
  };
  columns: FigureColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** CSV file name without extension; undefined disables the export. */
  file?: string;
}

/** Inside it, tables are for screen readers only, so nothing in them takes the focus. */
const Plain = createContext(false);
export const PlainTables = Plain.Provider;

/** Figure table with totals; scrolls sideways. */
export function FigureTable<Row>({ label, first, columns, rows, rowKey, file }: Props<Row>) {
  const { t } = useTranslation('common');
  const plain = useContext(Plain);
  const totals = first.total !== undefined;
  const save = () => {
    const cell = (of: { cell: (row: Row) => ReactNode; plain?: (row: Row) => RawValue }, row: Row) =>
      of.plain ? of.plain(row) : of.cell(row);
    const lines = [
      [first.header, ...columns.map((column) => column.header)],
      ...rows.map((row) => [cell(first, row), ...columns.map((column) => cell(column, row))]),
    ];
    // BOM: Excel would guess another encoding.
    const text = `\ufeff${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`;
    saveBlob(`${file}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }));
  };
  return (
    <>
      <div
        className={plain ? undefined : 'side-scroll'}
        role="group"
        aria-label={label}
        tabIndex={plain ? undefined : 0}
      >
        <table className={classes.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{first.header}</th>
              {columns.map((column) => (
                // Without the tooltip, which screen readers would repeat in every cell.
                <th key={column.key} scope="col" aria-label={column.explain && column.header}>
                  {column.header}
                  {column.explain && !plain && <InfoTooltip about={column.header} text={column.explain} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                <th scope="row">
                  {first.link && !plain ? first.link(row, first.cell(row)) : first.cell(row)}
                </th>
                {columns.map((column) => (
                  <td key={column.key}>{column.cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
          {totals && (
            <tfoot>
              <tr>
                <th scope="row">{first.total}</th>
                {columns.map((column) => (
                  <td key={column.key}>{column.total}</td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {file && rows.length > 0 && !plain && (
        <div className={classes.file}>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconFileTypeCsv size={15} aria-hidden="true" />}
            aria-label={t('csv_of', { name: label })}
            onClick={save}
          >
            CSV
          </Button>
        </div>
      )}
    </>
  );
}

/** CSV cell, quoted and protected against formula injection. */
export function csvCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = value === null || value === undefined ? '' : String(value);
  // As in the server CSV: every part is escaped, whatever separator a spreadsheet splits at.
  const harmless = text
    .replace(/^[\t\r\n]/, "'$&")
    .replaceAll(/(^|[;,\t|\r\n])([ \u00a0"']*)(?=[=+\-@＝＋－＠])(?!-[\d.]+(?:[;,\t|\r\n]|$))/g, "$1$2'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
