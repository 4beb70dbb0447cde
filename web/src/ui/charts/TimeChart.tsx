import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { leadingBlank } from './leadingBlank';
import { scaleTicks } from './ticks';
import classes from './TimeChart.module.css';

/** The chart library loads with the first chart. */
const Plot = lazy(() => import('./Plot').then((part) => ({ default: part.Plot })));

export interface Series<Row> {
  name: string;
  /** Null: there is no value, which is not zero. */
  value: (row: Row) => number | null;
  /** Formatted value. */
  text: (row: Row) => string;
}

/** Fewer points are drawn as columns. */
const MIN_AREA_POINTS = 4;

interface Props<Row> {
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Label below the axis. */
  label: (row: Row) => string;
  /** Label in the tooltip. */
  title?: (row: Row) => string;
  /** At most four series, with colors and legend. */
  series: Series<Row>[];
  /** Axis label format. */
  scale: (value: number) => string;
  /** Maximum of the axis, if fixed. */
  top?: number;
  /** Series on top of each other, as columns. */
  stacked?: boolean;
  /** First series of the period before, dashed. */
  before?: { name: string; rows: Row[] };
  /** The row whose time is not over. */
  running?: { name: string; is: (row: Row) => boolean };
  onPick?: (row: Row) => void;
}

/** One row for the plot: values of the series, of the period before, and texts of the tooltip. */
export interface PlotRow {
  key: string;
  label: string;
  title: string;
  values: (number | null)[];
  texts: string[];
  before?: { value: number | null; title: string; text: string };
  running: boolean;
}

/**
 * Values over time: areas with the period before dashed, or columns where there are too few points for a line. The table
 * is its text alternative.
 */
export function TimeChart<Row>(props: Props<Row>) {
  const { rows, rowKey, label, title = label, series, scale, top, stacked, before, running, onPick } = props;
  const { t } = useTranslation('common');
  const [first] = series;
  // A period without figures is no comparison.
  const compared = first && before?.rows.some((row) => first.value(row)) ? before : undefined;
  const all = rows.map((row, n): PlotRow => {
    const past = compared?.rows[n];
    return {
      key: rowKey(row),
      label: label(row),
      title: title(row),
      values: series.map(({ value }) => value(row)),
      texts: series.map(({ text }) => text(row)),
      before:
        past && first ? { value: first.value(past), title: title(past), text: first.text(past) } : undefined,
      running: running?.is(row) ?? false,
    };
  });
  const points = all.slice(leadingBlank(all));
  const heights = points.flatMap(({ values, before: past }) => {
    const known = values.map((value) => value ?? 0);
    return [...(stacked ? [known.reduce((sum, value) => sum + value, 0)] : known), past?.value ?? 0];
  });
  const names = series.map(({ name }) => name);
  const isRunning = points.some((point) => point.running);
  return (
    <div className={classes.whole} aria-hidden="true">
      {(series.length > 1 || compared || isRunning) && (
        <ul className={classes.legend}>
          {names.map((name, n) => (
            <li key={name} data-series={n}>
              {name}
            </li>
          ))}
          {compared && <li data-kind="before">{compared.name}</li>}
          {isRunning && <li data-kind="running">{running?.name}</li>}
        </ul>
      )}
      <div className={classes.plot} data-picks={onPick !== undefined || undefined}>
        <Suspense fallback={<Skeleton height="100%" />}>
          <Plot
            points={points}
            names={names}
            ticks={scaleTicks(top ?? Math.max(0, ...heights))}
            scale={scale}
            kind={stacked ? 'stack' : points.length < MIN_AREA_POINTS ? 'columns' : 'area'}
            hint={onPick && t('chart.open')}
            onPick={
              onPick &&
              ((key) => {
                const row = rows.find((each) => rowKey(each) === key);
                if (row) onPick(row);
              })
            }
          />
        </Suspense>
      </div>
    </div>
  );
}
