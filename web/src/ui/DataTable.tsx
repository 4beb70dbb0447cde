import { Skeleton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { InfoTooltip } from './InfoTooltip';
import { LoadMore } from './LoadMore';
import { ErrorState } from './ErrorState';
import classes from './DataTable.module.css';

export interface Column<Row> {
  key: string;
  header: string;
  /** How its figures are counted. */
  explain?: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** A column for a menu or buttons: its header is read, not shown. */
  actions?: boolean;
  /** The first column, with a box that picks the row: its header is read, not shown. */
  pick?: boolean;
  width?: number;
  /** Takes the whole width of a card on phones, for long words such as e-mail addresses. */
  wide?: boolean;
  /** Is read in one piece: an e-mail address, a telephone number, a day and hour. */
  whole?: boolean;
  /** Says by itself what it is: a card on a phone leaves the header out. */
  bare?: boolean;
}

/** What a list is doing. The types make loading and failing impossible to forget. */
export interface TableState<Row> {
  rows: Row[] | undefined;
  /** The rows are those of another question: their answer is on its way. */
  old?: boolean;
  error: string | null;
  retry: () => void;
  /** Set while there are further rows to load. */
  more?: { load: () => void; loading: boolean };
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  state: TableState<Row>;
  /** What a row is known by: its place, where rows come in at the top all the time and nothing is to jump. */
  rowKey: (row: Row, place: number) => string | number;
  empty: ReactNode;
  /** So many rows are known to come: what is below keeps its place. */
  expected?: number;
}

/** A table that becomes a list of cards on phones. */
export function DataTable<Row>({ label, columns, state, rowKey, empty, expected }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const before = useRef<number>(undefined);
  const { more } = state;
  // With the last page the pressed button goes: who uses the keyboard goes on at the first row that came.
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
  // The roles are written out because `display: block` on a phone would take them away.
  return (
    <>
      <div className="side-scroll" role="group" aria-label={label} tabIndex={0}>
        <table className={classes.table} role="table" aria-label={label} aria-busy={!state.rows || state.old}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <th
                  key={column.key}
                  role="columnheader"
                  scope="col"
                  // Not with what explains it: that would be read with every cell.
                  aria-label={column.explain && column.header}
                  data-align={column.align}
                  style={{ width: column.width }}
                >
                  {column.actions || column.pick ? (
                    <span className="sr-only">{column.header}</span>
                  ) : (
                    column.header
                  )}
                  {column.explain && <InfoTooltip text={column.explain} />}
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
