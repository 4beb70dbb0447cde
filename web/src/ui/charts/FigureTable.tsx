import type { ReactNode } from 'react';
import { Explained } from '../Explained';
import classes from './FigureTable.module.css';

export interface FigureColumn<Row> {
  key: string;
  header: string;
  /** How it is counted. */
  explain?: string;
  cell: (row: Row) => ReactNode;
  /** In the last line. */
  total?: ReactNode;
}

interface Props<Row> {
  label: string;
  /** The first column names the line. */
  first: { header: string; cell: (row: Row) => ReactNode; total?: string };
  columns: FigureColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
}

/** Figures by line and column, with their sums below. It scrolls sideways where there is no room. */
export function FigureTable<Row>({ label, first, columns, rows, rowKey }: Props<Row>) {
  const totals = first.total !== undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways on a phone
    <div className={classes.scroll} role="group" aria-label={label} tabIndex={0}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{first.header}</th>
            {columns.map((column) => (
              <th key={column.key} scope="col">
                {column.header}
                {column.explain && <Explained text={column.explain} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              <th scope="row">{first.cell(row)}</th>
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
  );
}
