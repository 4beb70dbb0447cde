import classes from './CountBadge.module.css';

/** Count badge; hidden at zero. */
export function CountBadge({ of, label }: { of: number | undefined; label: string }) {
  if (!of) return null;
  return (
    <span className={classes.count}>
      <span aria-hidden="true">{of > 99 ? '99+' : of}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
