import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParam } from '../queryParams';
import classes from './RecordTabs.module.css';

export interface RecordTab {
  key: string;
  label: string;
  /** Rows, such as `12` or `50+`; undefined while loading or without rows to count. */
  count?: string;
  content: ReactNode;
}

/** Tabs of a record with the number of rows in each. The first answers what is going on. */
export function RecordTabs({ tabs }: { tabs: RecordTab[] }) {
  const [chosen, choose] = useParam('tab');
  const [first] = tabs;
  const shown = tabs.find(({ key }) => key === chosen) ?? first;
  if (!shown || !first) return null;
  return (
    <Tabs
      value={shown.key}
      onChange={(next) => choose(next === first.key ? '' : (next ?? ''))}
      keepMounted={false}
      className={classes.tabs}
    >
      <Tabs.List className={classes.list}>
        {tabs.map(({ key, label, count }) => (
          <Tabs.Tab key={key} value={key} rightSection={count && <span className={classes.count}>{count}</span>}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown.key}>{shown.content}</Tabs.Panel>
    </Tabs>
  );
}
