import { Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListOptions } from '../../api/lists';
import { number } from '../../messages/format';
import { keepCurrentInView } from '../../ui/currentInView';
import { useParam, useSetParams } from '../queryParams';
import classes from './RecordTabs.module.css';

export interface RecordTab {
  key: string;
  label: string;
  /** Number of rows, such as `12` or `50+`. */
  count?: string;
  content: ReactNode;
}

/** Tabs of a record with the number of rows in each. The first answers what is going on. */
export function RecordTabs({ label, tabs }: { label: string; tabs: RecordTab[] }) {
  const [chosen] = useParam('tab');
  const setParams = useSetParams();
  const [first] = tabs;
  const shown = tabs.find(({ key }) => key === chosen) ?? first;
  if (!shown || !first) return null;
  return (
    <Tabs
      value={shown.key}
      // The order belongs to the list of the other tab.
      onChange={(next) => setParams({ tab: next === first.key ? '' : (next ?? ''), sort: '' })}
      keepMounted={false}
    >
      <Tabs.List ref={keepCurrentInView} className={classes.list} aria-label={label}>
        {tabs.map(({ key, label: name, count }) => (
          <Tabs.Tab
            key={key}
            value={key}
            rightSection={count && <span className={classes.count}>{count}</span>}
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown.key} className={classes.panel}>
        {shown.content}
      </Tabs.Panel>
    </Tabs>
  );
}

/** Number of rows of a list for its tab; none while unknown or empty. */
export function useRowCount<Row>(options: ListOptions<Row>): string | undefined {
  const { data } = useInfiniteQuery(options);
  return countText(data?.total?.rows, data?.total?.exact === false);
}

export function countText(rows: number | undefined, more = false): string | undefined {
  return rows ? number(rows) + (more ? '+' : '') : undefined;
}
