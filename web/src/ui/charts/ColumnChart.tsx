import { Tooltip } from '@mantine/core';
import classes from './ColumnChart.module.css';

export interface Series<Row> {
  name: string;
  value: (row: Row) => number;
  /** Formatted value. */
  text: (row: Row) => string;
}

interface Props<Row> {
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Label below the column; long charts show every second or third. */
  label: (row: Row) => string;
  /** At most four series, with colors and legend. */
  series: Series<Row>[];
  /** Axis label format. */
  scale: (value: number) => string;
  /** Maximum of the axis, if fixed. */
  top?: number;
  /** Long labels: a phone shows every third. */
  longLabels?: boolean;
}

/** Column chart; the table beside it is its text alternative. */
export function ColumnChart<Row>({ rows, rowKey, label, series, scale, top, longLabels }: Props<Row>) {
  const highest = Math.max(0, ...rows.flatMap((row) => series.map(({ value }) => value(row))));
  const ticks = scaleTicks(top ?? highest);
  const end = ticks.at(-1) ?? 1;
  const every = Math.ceil(rows.length / 12);
  return (
    <div className={classes.whole} aria-hidden="true">
      {series.length > 1 && (
        <ul className={classes.legend}>
          {series.map(({ name }, n) => (
            <li key={name} data-series={n}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div className={classes.chart}>
        <div className={classes.scale}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(100 * tick) / end}%` }}>
              {scale(tick)}
            </span>
          ))}
        </div>
        <div className={classes.plot} data-long={longLabels}>
          {ticks.map((tick) => (
            <i key={tick} className={classes.rule} style={{ bottom: `${(100 * tick) / end}%` }} />
          ))}
          {rows.map((row, n) => (
            <Tooltip
              key={rowKey(row)}
              openDelay={0}
              label={
                <>
                  <strong>{label(row)}</strong>
                  {series.map(({ name, text }) => (
                    <div key={name}>
                      {name}: {text(row)}
                    </div>
                  ))}
                </>
              }
            >
              <div className={classes.group}>
                <div className={classes.columns}>
                  {series.map(({ name, value }, m) => (
                    <i
                      key={name}
                      data-series={m}
                      style={{ height: `${(100 * Math.max(0, value(row))) / end}%` }}
                    />
                  ))}
                </div>
                <span className={classes.label}>{n % every === 0 ? label(row) : ''}</span>
              </div>
            </Tooltip>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Axis ticks: zero and two to five round steps up to the maximum. */
export function scaleTicks(highest: number): number[] {
  if (highest <= 0) return [0, 1];
  const raw = highest / 4;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, size * ([1, 2, 2.5, 5, 10].find((n) => n * size >= raw) ?? 10));
  const whole = Math.max(1, Math.ceil(step));
  const ticks = [];
  for (let tick = 0; tick < highest + whole; tick += whole) ticks.push(tick);
  return ticks;
}
