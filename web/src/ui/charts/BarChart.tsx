import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './BarChart.module.css';

interface Props<Row> {
  rows: Row[];
  rowKey: (row: Row) => string;
  label: (row: Row) => string;
  value: (row: Row) => number;
  /** Formatted value. */
  text: (row: Row) => string;
  /** Wraps a label in a link to the rows it counts. */
  link?: (row: Row, label: string) => ReactNode;
}

const SHOWN = 8;

/** Bar chart, the first eight until all are asked for; the table is its text alternative. */
export function BarChart<Row>({ rows, rowKey, label, value, text, link }: Props<Row>) {
  const { t } = useTranslation('common');
  const [all, setAll] = useState(false);
  const longest = Math.max(1, ...rows.map(value));
  // One row more is no reason for a button.
  const shown = all || rows.length <= SHOWN + 1 ? rows : rows.slice(0, SHOWN);
  return (
    <div className={classes.whole}>
      <ul className={classes.bars} aria-hidden={link ? undefined : true}>
        {shown.map((row) => (
          <li key={rowKey(row)} data-links={link !== undefined || undefined}>
            <span className={classes.label}>{link ? link(row, label(row)) : label(row)}</span>
            <span className={classes.track} aria-hidden="true">
              <i style={{ width: `${(100 * value(row)) / longest}%` }} />
            </span>
            <span className={classes.value}>{text(row)}</span>
          </li>
        ))}
      </ul>
      {shown.length < rows.length && (
        <Button variant="subtle" size="compact-sm" className={classes.more} onClick={() => setAll(true)}>
          {t('chart.show_all', { count: rows.length })}
        </Button>
      )}
    </div>
  );
}
