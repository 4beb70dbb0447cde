import { ActionIcon, Button, Menu, Popover, TextInput } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconBookmark,
  IconDeviceFloppy,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { api, body, idempotencyHeaders } from '../../api/client';
import { savedViews, type ListOptions } from '../../api/lists';
import type { ListName, SavedView } from '../../api/types';
import { number } from '../../messages/format';
import { BusyButton } from '../../ui/BusyButton';
import { toast } from '../../ui/toasts';
import { keepCurrentInView } from '../../ui/currentInView';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { useSave } from '../useSave';
import type { GridQuery } from './ListGrid';
import { listParams } from './listQuery';
import classes from './ViewTabs.module.css';

export type { ListName };

/** A view of a list: its query string under a name. */
export interface ListView {
  key: string;
  name: string;
  /** Query string of the page; empty for all rows. */
  query: string;
}

interface Props<Row> {
  list: ListName;
  views: ListView[];
  /** The query string that is shown. */
  current: string;
  rows: (query: GridQuery) => ListOptions<Row>;
  filters: GridFilter[];
}

const asQuery = (text: string, keys: string[]): GridQuery => {
  const params = new URLSearchParams(text);
  return {
    q: params.get('q') ?? undefined,
    limit: 1,
    filters: Object.fromEntries(keys.map((key) => [key, params.get(key) ?? ''])),
  };
};

/** Tabs of the views of a list with their numbers of rows: all, those that everyone has, and one's own. */
export function ViewTabs<Row>({ list, views, current, rows, filters }: Props<Row>) {
  const { t } = useTranslation('grid');
  const keys = filters.map(({ key }) => key);
  const { data: own = [] } = useQuery(savedViews(list));
  const all = [{ key: 'all', name: t('views.all'), query: '' }, ...views];
  const sorted = (query: string) => listParams(new URLSearchParams(query), keys);
  const known = [...all, ...own].some((view) => sorted(view.query) === current);
  const last = own.length - 1;
  // A single tab is no choice.
  if (known && all.length + own.length === 1) return null;
  return (
    <div className={classes.bar}>
      <nav ref={keepCurrentInView} className={classes.views} aria-label={t('views')}>
        {all.map((view) => (
          <Tab
            key={view.key}
            view={view}
            current={sorted(view.query) === current}
            options={rows(asQuery(view.query, keys))}
          />
        ))}
        {own.map((view, place) => (
          <span key={view.id} className={classes.own}>
            <Tab
              view={{ key: view.id, name: view.name, query: view.query }}
              current={sorted(view.query) === current}
              options={rows(asQuery(view.query, keys))}
            />
            <ViewMenu view={view} current={current} first={place === 0} last={place === last} />
          </span>
        ))}
      </nav>
      {!known && <SaveView list={list} query={current} />}
    </div>
  );
}

interface TabProps<Row> {
  view: ListView;
  current: boolean;
  options: ListOptions<Row>;
}

function Tab<Row>({ view, current, options }: TabProps<Row>) {
  const { data } = useInfiniteQuery({ ...options, staleTime: 60_000 });
  const total = data?.total;
  return (
    <Link
      className={classes.tab}
      to={{ search: view.query }}
      replace
      preventScrollReset
      aria-current={current ? 'page' : undefined}
    >
      {view.name}
      {total && (
        <span className={`${classes.count} num`}>
          {number(total.rows)}
          {!total.exact && '+'}
        </span>
      )}
    </Link>
  );
}

const changed = () => void queryClient.invalidateQueries({ queryKey: ['saved_views'] });

function SaveView({ list, query }: { list: ListName; query: string }) {
  const { t } = useTranslation('grid');
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconBookmark size={14} aria-hidden="true" />}
          onClick={() => setOpen(!open)}
        >
          {t('views.save')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <NameForm
          initial=""
          onSave={(name, key) =>
            body(
              api.POST('/rest/v1/me/views', {
                body: { list, name, query },
                params: idempotencyHeaders(key),
              }),
            )
          }
          onSaved={() => setOpen(false)}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface NameFormProps {
  initial: string;
  onSave: (name: string, key: string) => Promise<unknown>;
  onSaved: () => void;
}

function NameForm({ initial, onSave, onSaved }: NameFormProps) {
  const { t } = useTranslation(['grid', 'common']);
  const [name, setName] = useState(initial);
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useSave({
    save: onSave,
    form: { setErrors: (errors) => setError(errors.name ?? errors.query) },
    onSaved: () => {
      changed();
      toast({ title: t('views.saved'), description: name.trim() });
      onSaved();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(name);
      }}
    >
      <TextInput
        label={t('views.name')}
        value={name}
        maxLength={60}
        error={error}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <BusyButton
        type="submit"
        mt="xs"
        busy={isPending}
        label={t('common:save')}
        busyLabel={t('common:saving')}
      />
    </form>
  );
}

interface MenuProps {
  view: SavedView;
  current: string;
  first: boolean;
  last: boolean;
}

type Change = { name?: string; query?: string; position?: number };

function ViewMenu({ view, current, first, last }: MenuProps) {
  const { t } = useTranslation('grid');
  const [renaming, setRenaming] = useState(false);
  const path = { params: { path: { id: view.id } } };
  const update = (change: Change) => body(api.PATCH('/rest/v1/me/views/{id}', { ...path, body: change }));
  const { mutate: change } = useSave({ save: update, onSaved: changed });
  const { mutate: remove } = useSave({
    save: () => body(api.DELETE('/rest/v1/me/views/{id}', path)),
    onSaved: () => {
      changed();
      toast({ title: t('views.deleted'), description: view.name });
    },
  });
  const icon = (Icon: typeof IconPencil) => <Icon size={15} aria-hidden="true" />;
  return (
    <Popover
      opened={renaming}
      onChange={setRenaming}
      position="bottom-start"
      width={280}
      trapFocus
      returnFocus
    >
      <Menu position="bottom-start">
        <Menu.Target>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={22}
              aria-label={t('views.menu', { name: view.name })}
            >
              <IconDots size={13} />
            </ActionIcon>
          </Popover.Target>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={icon(IconPencil)} onClick={() => setRenaming(true)}>
            {t('views.rename')}
          </Menu.Item>
          <Menu.Item leftSection={icon(IconDeviceFloppy)} onClick={() => change({ query: current })}>
            {t('views.update')}
          </Menu.Item>
          {!first && (
            <Menu.Item
              leftSection={icon(IconArrowLeft)}
              onClick={() => change({ position: view.position - 1 })}
            >
              {t('views.move_left')}
            </Menu.Item>
          )}
          {!last && (
            <Menu.Item
              leftSection={icon(IconArrowRight)}
              onClick={() => change({ position: view.position + 1 })}
            >
              {t('views.move_right')}
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={icon(IconTrash)} onClick={() => remove()}>
            {t('views.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Popover.Dropdown>
        <NameForm
          initial={view.name}
          onSave={(name) => update({ name })}
          onSaved={() => setRenaming(false)}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
