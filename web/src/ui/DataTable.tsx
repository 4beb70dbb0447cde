import { Skeleton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { InfoTooltip } from './InfoTooltip';
import { LoadMore } from './LoadMore';
import { ErrorState } from './ErrorState';
import classes from './DataTable.module.css';

export interface Column<Row> {
  key: string;
  header: string;
  /** How the figures are counted. */
  explain?: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** Column of buttons: header for screen readers only. */
  actions?: boolean;
  /** First column with a checkbox: header for screen readers only. */
  pick?: boolean;
  width?: number;
  /** Full width on cards, for long words such as emails. */
  wide?: boolean;
  /** Kept unbroken: email, phone, date and time. */
  whole?: boolean;
  /** Self-explanatory: no header on cards. */
  bare?: boolean;
}

/** State of a list. The types enforce loading and error handling. */
export interface TableState<Row> {
  rows: Row[] | undefined;
  /** Rows belong to the previous query; the new response is pending. */
  stale?: boolean;
  error: string | null;
  retry: () => void;
  /** Set if there are more rows. */
  more?: { load: () => void; loading: boolean };
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  state: TableState<Row>;
  /** Row key: the index, for lists that grow at the top without shifting. */
  rowKey: (row: Row, place: number) => string | number;
  empty: ReactNode;
  /** Expected number of rows, to reserve space. */
  expected?: number;
}

/** Table that becomes cards on phones. */
export function DataTable<Row>({ label, columns, state, rowKey, empty, expected }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const before = useRef<number>(undefined);
  const { more } = state;
  // The last page removes the pressed button, so the focus moves to the first new row.
  useEffect(() => {
    if (more || before.current === undefined) return;
    const row = body.current?.rows[before.current];
    before.current = undefined;
    if (!row || document.activeElement !== document.body) return;
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
  }, [more]);
  if (!state.rows && state.error) return <ErrorState message={state.error} onRetry={state.retry} />;
  if (state.rows?.length === 0) return <>{empty}</>;
  // Explicit roles, because `display: block` on a phone removes the implicit ones.
  return (
    <>
      <div className="side-scroll" role="group" aria-label={label} tabIndex={0}>
        <table
          className={classes.table}
          role="table"
          aria-label={label}
          aria-busy={!state.rows || state.stale}
        >
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <th
                  key={column.key}
                  role="columnheader"
                  scope="col"
                  // Without the tooltip, which screen readers would repeat in every cell.
                  aria-label={column.explain && column.header}
                  data-align={column.align}
                  style={{ width: column.width }}
                >
                  {column.actions || column.pick ? (
                    <span className="sr-only">{column.header}</span>
                  ) : (
                    column.header
                  )}
                  {column.explain && <InfoTooltip about={column.header} text={column.explain} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} role="rowgroup" aria-busy={!state.rows}>
            {state.rows ? (
              state.rows.map((row, place) => <Row key={rowKey(row, place)} row={row} columns={columns} />)
            ) : (
              <TableSkeleton columns={columns} rows={expected} />
            )}
          </tbody>
        </table>
      </div>
      {state.rows && state.error && <ErrorState message={state.error} onRetry={state.retry} />}
      {more && (
        <div className={classes.more}>
          <LoadMore
            loading={more.loading}
            onLoad={() => {
              before.current = state.rows?.length;
              more.load();
            }}
          />
        </div>
      )}
    </>
  );
}

function Row<Row>({ row, columns }: { row: Row; columns: Column<Row>[] }) {
  return (
    <tr role="row">
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-align={column.align}
          data-actions={column.actions}
          data-pick={column.pick}
          data-wide={column.wide}
          data-whole={column.whole}
          data-bare={column.bare}
          data-sized={column.width !== undefined || undefined}
        >
          <span className={classes.label} aria-hidden="true">
            {column.header}
          </span>
          <div className={classes.content}>{column.cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}

const SKELETON_WIDTHS = ['70%', '50%', '80%', '60%', '65%'];

function TableSkeleton<Row>({ columns, rows = 5 }: { columns: Column<Row>[]; rows?: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true" className={classes.waiting}>
      {columns.map((column) => (
        <td key={column.key}>
          <Skeleton height={12} width={SKELETON_WIDTHS[row % SKELETON_WIDTHS.length]} />
        </td>
      ))}
    </tr>
  ));
}
