import classes from './BarChart.module.css';

interface Props<Row> {
  rows: Row[];
  rowKey: (row: Row) => string;
  label: (row: Row) => string;
  value: (row: Row) => number;
  /** Formatted value. */
  text: (row: Row) => string;
}

/** Bar chart; the table beside it is its text alternative. */
export function BarChart<Row>({ rows, rowKey, label, value, text }: Props<Row>) {
  const longest = Math.max(1, ...rows.map(value));
  return (
    <ul className={classes.bars} aria-hidden="true">
      {rows.map((row) => (
        <li key={rowKey(row)}>
          <span className={classes.label}>{label(row)}</span>
          <span className={classes.track}>
            <i style={{ width: `${(100 * value(row)) / longest}%` }} />
          </span>
          <span className={classes.value}>{text(row)}</span>
        </li>
      ))}
    </ul>
  );
}
