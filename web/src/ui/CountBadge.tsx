import classes from './CountBadge.module.css';

/** A small number of what is new; nothing when there is nothing. */
export function CountBadge({ of, label }: { of: number | undefined; label: string }) {
  if (!of) return null;
  return (
    <span className={classes.count}>
      <span aria-hidden="true">{of > 99 ? '99+' : of}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
