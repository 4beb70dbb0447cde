import { TextInput } from '@mantine/core';
import classes from './DayFilter.module.css';

interface Props {
  /** A short word such as "From", shown in the field. */
  label: string;
  value: string;
  onChange: (day: string) => void;
}

/** Narrows a list to a day and those after or before it. */
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
