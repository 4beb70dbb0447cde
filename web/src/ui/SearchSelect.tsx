import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<SelectProps, 'searchable' | 'searchValue' | 'onSearchChange'>;

/** A choice out of many, found by typing. What is chosen makes way for what is typed, and comes back if nothing is taken. */
export function SearchSelect({ onDropdownOpen, ...props }: Props) {
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [before, setBefore] = useState('');
  return (
    <Select
      {...props}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // Still to be read while nothing is typed.
      placeholder={open && before ? before : props.placeholder}
      onDropdownOpen={() => {
        setOpen(true);
        setBefore(typed);
        setTyped('');
        onDropdownOpen?.();
      }}
      onDropdownClose={() => {
        setOpen(false);
        setTyped((now) => now || before);
        props.onDropdownClose?.();
      }}
    />
  );
}
