import { TextInput } from '@mantine/core';
import classes from './DayFilter.module.css';

interface Props {
  /** Short label inside the field, such as "From". */
  label: string;
  value: string;
  onChange: (day: string) => void;
}

/** Date filter: from or until a day. */
export function DayFilter({ label, value, onChange }: Props) {
  return (
    <TextInput
      className={classes.day}
      size="sm"
      type="date"
      aria-label={label}
      leftSection={
        <span className="unit" aria-hidden="true">
          {label}
        </span>
      }
      leftSectionWidth={52}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
