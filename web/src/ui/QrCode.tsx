import { encode } from 'uqr';
import classes from './QrCode.module.css';

/** Dark on white in every colour scheme, with the quiet edge around it: cameras want it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 3 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      className={classes.code}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path className={classes.dark} d={path} />
    </svg>
  );
}
