import classes from './Sparkline.module.css';

const WIDTH = 72;
const HEIGHT = 24;

/** Small line of the last values, without axis: a drawing beside a counter. */
export function Sparkline({ values }: { values: number[] }) {
  const top = Math.max(...values, 1);
  const points = values.map((value, n) => {
    const x = (n * WIDTH) / Math.max(values.length - 1, 1);
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value * (HEIGHT - 4)) / top).toFixed(1)}`;
  });
  return (
    <svg
      className={classes.line}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
