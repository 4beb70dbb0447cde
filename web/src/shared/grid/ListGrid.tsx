import { ActionIcon, Button, Drawer } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { ListOptions } from '../../api/lists';
import { BulkBar } from '../../ui/grid/BulkBar';
import { DataGrid } from '../../ui/grid/DataGrid';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { GridMenu } from '../../ui/grid/GridMenu';
import { sortText, type GridColumn, type Sort } from '../../ui/grid/columns';
import { EmptyState } from '../../ui/EmptyState';
import { IconFilterOff, IconLayoutSidebarRightExpand } from '@tabler/icons-react';
import { useMe } from '../session/me';
import { usePageKeys } from '../shell/registry';
import classes from './ListGrid.module.css';
import { useListQuery } from './listQuery';
import { ListTools } from './ListTools';
import { listState } from './listState';
import { useGridPreferences } from './preferences';
import { sumsByCurrency, withSums, type Amount } from './sums';
import { ViewTabs, type ListName, type ListView } from './ViewTabs';

/** Filters and order as the query of the list's route. */
export interface GridQuery {
  q?: string;
  order?: string;
  /** Rows of a page, where not the usual number. */
  limit?: number;
  filters: Record<string, string>;
}

interface Props<Row> {
  /** Name for saved views and preferences. */
  list: ListName;
  label: string;
  columns: GridColumn<Row>[];
  rows: (query: GridQuery) => ListOptions<Row>;
  rowKey: (row: Row) => string;
  rowName: (row: Row) => string;
  defaultSort: Sort;
  hrefOf?: (row: Row) => string | undefined;
  filters?: GridFilter[];
  /** Label of the search box; none without a search. */
  search?: string;
  /** Views that everyone has, besides all rows. */
  views?: ListView[];
  /** Sum of a list with amounts, under this column. */
  sumColumn?: string;
  amountOf?: (row: Row) => Amount;
  /** Actions on the selected rows; rows cannot be selected without. */
  bulk?: (rows: Row[], clear: () => void) => ReactNode;
  /** The row beside the list, on Space or by its button. */
  peek?: (row: Row) => ReactNode;
  empty: ReactNode;
  /** Only the first rows, without views, selection and pages: on a dashboard. */
  preview?: number;
  /** Buttons of the list; exports have all its rows. */
  actions?: (query: GridQuery) => ReactNode;
}

/** A list with saved views, search, filters, order, selection and totals, all of it in the URL. */
export function ListGrid<Row>(props: Props<Row>) {
  const { list, label, filters = [], views = [], columns, rowKey, preview } = props;
  const bulk = preview ? undefined : props.bulk;
  const sumColumn = preview ? undefined : props.sumColumn;
  const { t } = useTranslation(['grid', 'common']);
  const navigate = useNavigate();
  const me = useMe();
  const url = useListQuery(filters.map(({ key }) => key));
  const preferences = useGridPreferences(list, me.id);
  const query: GridQuery = {
    q: url.q || undefined,
    order: url.sort ? sortText(url.sort) : undefined,
    filters: url.filters,
    limit: props.preview,
  };
  const found = useInfiniteQuery(props.rows(query));
  const all = listState(found);
  const state = props.preview ? { ...all, rows: all.rows?.slice(0, props.preview), more: undefined } : all;
  const [ids, setIds] = useState<Record<string, true>>({});
  const [peeked, setPeeked] = useState<string | null>(null);
  const selected = (state.rows ?? []).filter((row) => ids[rowKey(row)]);
  const peekedRow = state.rows?.find((row) => rowKey(row) === peeked);
  const hidden = preferences.hidden ?? columns.filter((column) => column.hidden).map((column) => column.key);
  const shown = [...withSums(columns, sumColumn, found.data?.total?.sums)];
  const canPeek = props.peek !== undefined && !preview;
  if (canPeek) {
    const last = shown.findIndex(({ actions }) => actions);
    shown.splice(last < 0 ? shown.length : last, 0, {
      key: 'peek',
      header: t('peek_column'),
      actions: true,
      extra: true,
      cell: (row) => (
        <ActionIcon
          className={classes.peek}
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('peek', { name: props.rowName(row) })}
          onClick={() => setPeeked(rowKey(row))}
        >
          <IconLayoutSidebarRightExpand size={16} aria-hidden="true" />
        </ActionIcon>
      ),
    });
  }
  usePageKeys([
    { keys: ['J', 'K'], label: t('keys.move') },
    ...(canPeek ? [{ keys: ['Space'], label: t('keys.peek') }] : []),
    ...(bulk
      ? [
          { keys: ['X'], label: t('keys.select') },
          { keys: ['Shift', 'X'], label: t('keys.range') },
        ]
      : []),
  ]);
  const narrowed = Boolean(url.q) || filters.some(({ key }) => url.filters[key]);
  return (
    <>
      {!preview && (
        <ViewTabs list={list} views={views} current={url.text} rows={props.rows} filters={filters} />
      )}
      <ListTools label={label} query={url} search={props.search} filters={filters}>
        {!preview && (
          <div className={classes.display}>
            <GridMenu
              columns={columns}
              hidden={hidden}
              density={preferences.density}
              onHidden={(next) => preferences.save({ hidden: next })}
              onDensity={(density) => preferences.save({ density })}
            />
          </div>
        )}
        {props.actions?.({ ...query, limit: undefined })}
      </ListTools>
      <DataGrid
        main
        footer={!preview}
        expected={preview}
        label={label}
        columns={shown}
        state={state}
        rowKey={rowKey}
        hrefOf={props.hrefOf}
        onOpen={(_, href) => void navigate(href)}
        onPeek={canPeek ? (row) => setPeeked(rowKey(row)) : undefined}
        sort={url.sort}
        defaultSort={props.defaultSort}
        onSort={url.setSort}
        selection={bulk && { ids, nameOf: props.rowName, onChange: setIds }}
        density={preferences.density}
        hidden={hidden}
        empty={
          narrowed ? (
            <EmptyState
              icon={<IconFilterOff size={20} />}
              title={url.q ? t('common:no_match', { q: url.q }) : t('no_match')}
              action={
                <Button variant="default" onClick={url.clear}>
                  {t('clear_filters')}
                </Button>
              }
            />
          ) : (
            props.empty
          )
        }
      />
      {bulk && selected.length > 0 && (
        <BulkBar
          count={selected.length}
          sums={props.amountOf && sumsByCurrency(selected.map(props.amountOf))}
          onClear={() => setIds({})}
        >
          {bulk(selected, () => setIds({}))}
        </BulkBar>
      )}
      {props.peek && (
        <Drawer
          position="right"
          size={420}
          opened={peekedRow !== undefined}
          onClose={() => setPeeked(null)}
          title={peekedRow && t('peek', { name: props.rowName(peekedRow) })}
        >
          {peekedRow && (
            <>
              {props.peek(peekedRow)}
              <Open href={props.hrefOf?.(peekedRow)} />
            </>
          )}
        </Drawer>
      )}
    </>
  );
}

function Open({ href }: { href: string | undefined }) {
  const { t } = useTranslation('grid');
  if (href === undefined) return null;
  return (
    <Button component={Link} to={href} mt="md">
      {t('open')}
    </Button>
  );
}
