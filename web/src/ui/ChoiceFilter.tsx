import { Select } from '@mantine/core';
import type { Choice } from './ChoiceSelect';
import classes from './ChoiceFilter.module.css';

interface Props {
  label: string;
  /** What it is called when nothing is narrowed; without it one is always chosen. */
  all?: string;
  value: string;
  choices: Choice<string>[];
  onChange: (value: string) => void;
}

/** Narrows a list to one of a few; the empty value is all of them. */
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
