import { Checkbox, Skeleton } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type Row as TableRow,
  type RowSelectionState,
} from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type MouseEvent, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { toPublicPath } from '../../basePath';
import { number } from '../../messages/format';
import { ErrorState } from '../ErrorState';
import { InfoTooltip } from '../InfoTooltip';
import { LoadMore } from '../LoadMore';
import { nextSort, type Density, type GridColumn, type GridState, type Sort } from './columns';
import classes from './DataGrid.module.css';
import { usePageKeyDown } from '../pageKeys';
import { useStickyHead } from './useStickyHead';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
type Features = typeof features;

/** Loaded rows from which on only those near the viewport are in the document. */
const MAX_RENDERED_ROWS = 200;
const ROW_HEIGHTS: Record<Density, number> = { compact: 32, normal: 40, roomy: 48 };

/** Selection of rows; the owner keeps it. */
export interface Selection<Row> {
  ids: RowSelectionState;
  /** Name of a row, for its checkbox. */
  nameOf: (row: Row) => string;
  onChange: (ids: RowSelectionState) => void;
}

export interface GridProps<Row> {
  label: string;
  columns: GridColumn<Row>[];
  state: GridState<Row>;
  rowKey: (row: Row) => string;
  empty: ReactNode;
  /** Address of a row's page. */
  hrefOf?: (row: Row) => string | undefined;
  onOpen?: (row: Row, href: string) => void;
  /** Shows a row beside the list. */
  onPeek?: (row: Row) => void;
  sort?: Sort | null;
  /** The order of the list where none is chosen. */
  defaultSort?: Sort;
  onSort?: (sort: Sort | null) => void;
  selection?: Selection<Row>;
  density?: Density;
  /** Keys of the hidden columns. */
  hidden?: string[];
  /** Expected number of rows, to reserve space. */
  expected?: number;
  /** Number of rows and the button for more. */
  footer?: boolean;
  /** J and K work without focus in the list: the page's main list. */
  main?: boolean;
}

/** Frames in which a virtual list is scrolled to a row. */
const MAX_SCROLLS = 30;

const NONE: never[] = [];

/** Table of rows with sorting, selection and keyboard navigation; two-line rows on phones. */
export function DataGrid<Row>(props: GridProps<Row>) {
  const { label, columns, state, rowKey, selection, density = 'normal', hidden = NONE } = props;
  const { t } = useTranslation('grid');
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const shown = useMemo(
    () => columns.filter((column) => !hidden.includes(column.key) || column.actions || column.link),
    [columns, hidden],
  );
  const definitions = useMemo(() => columns.map((column) => ({ id: column.key })), [columns]);
  const visibility = useMemo(
    () => Object.fromEntries(columns.map((column) => [column.key, shown.includes(column)])),
    [columns, shown],
  );
  const table = useTable<Features, Row & object>({
    features,
    columns: definitions,
    data: (state.rows ?? NONE) as (Row & object)[],
    getRowId: rowKey as (row: Row & object) => string,
    enableRowSelection: Boolean(selection),
    state: { rowSelection: selection?.ids ?? {}, columnVisibility: visibility },
    onRowSelectionChange: (update) =>
      selection?.onChange(typeof update === 'function' ? update(selection.ids) : update),
  });
  const { rows } = table.getRowModel();
  const isShown = !(state.rows ? state.rows.length === 0 : state.error);
  const wide = useStickyHead(box, isShown);
  const focusRow = useRowFocus(body, rows.length);
  useRowKeys({ ...props, rows, body, focusRow });
  const loadMore = useFocusAfterLoad(state, focusRow);
  if (!state.rows && state.error) return <ErrorState message={state.error} onRetry={state.retry} />;
  if (state.rows?.length === 0) return <>{props.empty}</>;
  const sums = shown.some((column) => column.sums);
  // Explicit roles, because `display: grid` on a phone removes the implicit ones.
  return (
    <>
      <div
        ref={box}
        className={classes.box}
        data-wide={wide || undefined}
        role={wide ? 'group' : undefined}
        aria-label={wide ? label : undefined}
        tabIndex={wide ? 0 : undefined}
      >
        <table
          className={classes.table}
          role="table"
          aria-label={label}
          aria-busy={!state.rows || state.stale}
          aria-rowcount={state.total?.exact ? state.total.rows + 1 : -1}
          data-density={density}
        >
          <thead role="rowgroup" className={classes.head}>
            <tr role="row">
              {selection && (
                <th role="columnheader" scope="col" data-pick>
                  <Checkbox
                    size="xs"
                    aria-label={t('select_all')}
                    checked={rows.length > 0 && table.getIsAllRowsSelected()}
                    indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
                    onChange={table.getToggleAllRowsSelectedHandler()}
                  />
                </th>
              )}
              {shown.map((column) => (
                <Header key={column.key} column={column} {...props} />
              ))}
            </tr>
          </thead>
          <Body ref={body} rows={rows} shown={shown} grid={props} density={density} />
          {sums && (
            <tfoot role="rowgroup" className={classes.foot}>
              <tr role="row">
                {selection && (
                  <td role="cell" data-pick>
                    <span className="sr-only">{t('total')}</span>
                  </td>
                )}
                {shown.map((column, place) => (
                  <td
                    key={column.key}
                    role="cell"
                    data-align={column.align}
                    data-extra={column.extra}
                    data-sums={Boolean(column.sums)}
                    data-total={place === 0 || undefined}
                  >
                    {column.sums?.map((sum) => <div key={sum}>{sum}</div>) ?? (place === 0 && t('total'))}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {state.rows && state.error && <ErrorState message={state.error} onRetry={state.retry} />}
      {(props.footer ?? true) && <Footer state={state} loadMore={loadMore} />}
    </>
  );
}

function Header<Row>({
  column,
  sort = null,
  defaultSort,
  onSort,
}: Pick<GridProps<Row>, 'sort' | 'defaultSort' | 'onSort'> & { column: GridColumn<Row> }) {
  const current = sort ?? defaultSort;
  const sorted = column.sort !== undefined && current?.key === column.sort;
  const direction = current?.descending ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      // Without the tooltip, which screen readers would repeat in every cell.
      aria-label={column.explain && column.header}
      aria-sort={column.sort && onSort ? (sorted ? direction : 'none') : undefined}
      data-align={column.align}
      data-extra={column.extra}
      style={{ width: column.width }}
    >
      {column.actions ? (
        <span className="sr-only">{column.header}</span>
      ) : column.sort && onSort ? (
        <button
          type="button"
          className={classes.sort}
          data-sorted={sorted || undefined}
          onClick={() => onSort(nextSort(column, sort))}
        >
          {column.header}
          <SortIcon sorted={sorted} descending={current?.descending ?? false} />
        </button>
      ) : (
        column.header
      )}
      {column.explain && <InfoTooltip about={column.header} text={column.explain} />}
    </th>
  );
}

function SortIcon({ sorted, descending }: { sorted: boolean; descending: boolean }) {
  const Icon = sorted ? (descending ? IconArrowDown : IconArrowUp) : IconSelector;
  return <Icon size={13} stroke={2} aria-hidden="true" className={classes.arrow} />;
}

interface BodyProps<Row> {
  ref: RefObject<HTMLTableSectionElement | null>;
  rows: TableRow<Features, Row & object>[];
  shown: GridColumn<Row>[];
  grid: GridProps<Row>;
  density: Density;
}

function Body<Row>({ ref, rows, shown, grid, density }: BodyProps<Row>) {
  if (!grid.state.rows) {
    return (
      <tbody ref={ref} role="rowgroup" aria-busy="true">
        <SkeletonRows columns={shown} pick={Boolean(grid.selection)} rows={grid.expected} />
      </tbody>
    );
  }
  if (rows.length > MAX_RENDERED_ROWS) {
    return <VirtualBody ref={ref} rows={rows} shown={shown} grid={grid} density={density} />;
  }
  return (
    <tbody ref={ref} role="rowgroup">
      {rows.map((row, index) => (
        <GridRow key={row.id} row={row} index={index} shown={shown} grid={grid} />
      ))}
    </tbody>
  );
}

/** Only the rows near the viewport; rows of the same height as the others stand for the rest. */
function VirtualBody<Row>({ ref, rows, shown, grid, density }: BodyProps<Row>) {
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHTS[density],
    overscan: 20,
    scrollMargin: ref.current ? ref.current.getBoundingClientRect().top + globalThis.scrollY : 0,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? 0) - virtual.options.scrollMargin;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? 0) - virtual.options.scrollMargin);
  const width = shown.length + (grid.selection ? 1 : 0);
  return (
    <tbody ref={ref} role="rowgroup">
      <Spacer height={before} columns={width} />
      {items.map(({ index }) => {
        const row = rows[index];
        return (
          row && (
            <GridRow
              key={row.id}
              row={row}
              index={index}
              shown={shown}
              grid={grid}
              measure={virtual.measureElement}
            />
          )
        );
      })}
      <Spacer height={after} columns={width} />
    </tbody>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" className={classes.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

interface RowProps<Row> {
  row: TableRow<Features, Row & object>;
  index: number;
  shown: GridColumn<Row>[];
  grid: GridProps<Row>;
  measure?: (element: Element | null) => void;
}

function GridRow<Row>({ row, index, shown, grid, measure }: RowProps<Row>) {
  const { t } = useTranslation('grid');
  const { selection, hrefOf } = grid;
  const data: Row = row.original;
  const href = hrefOf?.(data);
  const selected = Boolean(selection?.ids[row.id]);
  return (
    <tr
      ref={measure}
      role="row"
      data-index={index}
      data-row={row.id}
      data-selected={selected || undefined}
      data-link={href !== undefined || undefined}
      aria-rowindex={index + 2}
    >
      {selection && (
        <td role="cell" data-pick>
          <Checkbox
            size="xs"
            aria-label={t('select', { name: selection.nameOf(data) })}
            checked={selected}
            onChange={() => undefined}
            // The click, for Shift: a range.
            onClick={row.getToggleSelectedHandler()}
          />
        </td>
      )}
      {shown.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-align={column.align}
          data-extra={column.extra}
          data-whole={column.whole}
          data-actions={column.actions}
          data-phone={column.actions ? 'actions' : column.phone}
        >
          <div className={classes.content}>
            {column.link && <RowLink grid={grid} row={data} href={href} label={column.link(data)} />}
            {column.cell(data)}
          </div>
        </td>
      ))}
    </tr>
  );
}

interface RowLinkProps<Row> {
  grid: GridProps<Row>;
  row: Row;
  href: string | undefined;
  label: ReactNode;
}

/** Real link that covers the row. */
function RowLink<Row>({ grid, row, href, label }: RowLinkProps<Row>) {
  if (href === undefined) return <span className={classes.name}>{label}</span>;
  const open = (event: MouseEvent) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!plain || !grid.onOpen) return;
    event.preventDefault();
    grid.onOpen(row, href);
  };
  return (
    <a className={classes.link} href={toPublicPath(href)} onClick={open} data-row-link>
      {label}
    </a>
  );
}

function Footer<Row>({ state, loadMore }: { state: GridState<Row>; loadMore: (() => void) | undefined }) {
  const { t } = useTranslation('grid');
  const { rows, more, total } = state;
  if (!rows) return null;
  const hasMore = total ? !total.exact && rows.length <= total.rows : Boolean(more);
  const params = { to: number(rows.length), total: number(total?.rows ?? rows.length) };
  return (
    <div className={classes.footer}>
      <span className={`${classes.count} num`} aria-live="polite">
        {t(hasMore ? 'range_more' : 'range', params)}
      </span>
      {more && loadMore && <LoadMore loading={more.loading} onLoad={loadMore} />}
    </div>
  );
}

const SKELETON_WIDTHS = ['70%', '50%', '80%', '60%', '65%'];

function SkeletonRows<Row>({
  columns,
  pick,
  rows = 8,
}: {
  columns: GridColumn<Row>[];
  pick: boolean;
  rows?: number;
}) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true" className={classes.waiting}>
      {pick && (
        <td data-pick>
          <Skeleton height={16} width={16} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.key}
          data-align={column.align}
          data-extra={column.extra}
          data-actions={column.actions}
          data-phone={column.phone}
        >
          {!column.actions && (
            <Skeleton
              height={12}
              ml={column.align === 'right' ? 'auto' : undefined}
              width={SKELETON_WIDTHS[row % SKELETON_WIDTHS.length]}
            />
          )}
        </td>
      ))}
    </tr>
  ));
}

/** Moves the focus to a row by its index; rows outside the viewport are scrolled to first. */
function useRowFocus(body: RefObject<HTMLTableSectionElement | null>, count: number) {
  return (index: number) => {
    const place = Math.min(Math.max(index, 0), count - 1);
    const find = () => body.current?.querySelector<HTMLElement>(`tr[data-index="${place}"]`);
    const focus = (row: HTMLElement) => {
      const link = row.querySelector<HTMLElement>('[data-row-link]') ?? row;
      if (link === row) row.tabIndex = -1;
      link.focus({ preventScroll: true });
      row.scrollIntoView({ block: 'nearest' });
    };
    // A virtual list renders the neighbors of the last one after a scroll.
    const attempt = (left: number) => {
      const row = find();
      if (row) return focus(row);
      const rendered = [...(body.current?.querySelectorAll<HTMLElement>('tr[data-index]') ?? [])];
      const last = rendered.findLast((other) => Number(other.dataset.index) < place) ?? rendered[0];
      last?.scrollIntoView({ block: 'center' });
      if (left > 0) requestAnimationFrame(() => attempt(left - 1));
      return undefined;
    };
    attempt(MAX_SCROLLS);
  };
}

interface Keys<Row> extends GridProps<Row> {
  rows: TableRow<Features, Row & object>[];
  body: RefObject<HTMLTableSectionElement | null>;
  focusRow: (index: number) => void;
}

/**
 * J and K move, also from elsewhere on the page of a main list; X selects, Shift+X selects a range, Space peeks; Enter is
 * the link's own.
 */
function useRowKeys<Row>({ rows, body, focusRow, selection, onPeek, main }: Keys<Row>) {
  const anchor = useRef<number>(undefined);
  usePageKeyDown((event) => {
    const { target } = event;
    if (!(target instanceof Element) || !body.current) return;
    if (!main && !body.current.closest('table')?.contains(target)) return;
    const element = body.current.contains(target) ? target.closest<HTMLElement>('tr[data-index]') : null;
    const index = element ? Number(element.dataset.index) : -1;
    const key = event.key.toLowerCase();
    const row = rows[index];
    if ((key === 'j' || key === 'k') && !event.shiftKey) {
      event.preventDefault();
      focusRow(index < 0 ? 0 : index + (key === 'j' ? 1 : -1));
    } else if (event.repeat) {
      // A key held down acts once.
    } else if (key === 'x' && row && selection) {
      event.preventDefault();
      const on = !selection.ids[row.id];
      const from = event.shiftKey ? (anchor.current ?? index) : index;
      const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
      const ids = { ...selection.ids };
      for (const { id } of range) {
        if (on || event.shiftKey) ids[id] = true;
        else delete ids[id];
      }
      anchor.current = index;
      selection.onChange(ids);
    } else if (key === ' ' && row && onPeek && isLink(target)) {
      event.preventDefault();
      onPeek(row.original);
    }
  }, body);
}

const isLink = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.dataset.rowLink !== undefined;

/** The last page removes the pressed button, so the focus moves to the first new row. */
function useFocusAfterLoad<Row>(state: GridState<Row>, focusRow: (index: number) => void) {
  const before = useRef<number>(undefined);
  const { more } = state;
  const focus = useRef(focusRow);
  useEffect(() => {
    focus.current = focusRow;
  });
  useEffect(() => {
    const first = before.current;
    if (more || first === undefined) return;
    before.current = undefined;
    if (document.activeElement === document.body) focus.current(first);
  }, [more]);
  if (!more) return undefined;
  return () => {
    before.current = state.rows?.length;
    more.load();
  };
}
