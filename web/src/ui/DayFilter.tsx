import classes from './DayFilter.module.css';
import { DateField } from './DateField';

interface Props {
  /** Short label inside the field, such as "From". */
  label: string;
  value: string;
  onChange: (day: string) => void;
}

/** Date filter: from or until a day. */
export function DayFilter(props: Props) {
  return <DateField inset className={classes.day} presets="past" {...props} />;
}
