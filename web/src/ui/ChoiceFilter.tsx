import { Select } from '@mantine/core';
import type { Choice } from './ChoiceSelect';
import classes from './ChoiceFilter.module.css';

interface Props {
  label: string;
  /** Label of the empty value; without it a value is required. */
  all?: string;
  value: string;
  choices: Choice<string>[];
  onChange: (value: string) => void;
}

/** Filter with few values; empty means all. */
export function ChoiceFilter({ label, all, value, choices, onChange }: Props) {
  return (
    <Select
      size="sm"
      className={classes.filter}
      aria-label={label}
      value={value}
      data={all === undefined ? choices : [{ value: '', label: all }, ...choices]}
      onChange={(next) => onChange(next ?? '')}
      allowDeselect={false}
    />
  );
}
