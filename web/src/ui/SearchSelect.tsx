import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<SelectProps, 'searchable' | 'searchValue'>;

/** A choice out of many, found by typing. What is chosen makes way for what is typed, and comes back if nothing is taken. */
export function SearchSelect({ onDropdownOpen, onDropdownClose, onSearchChange, ...props }: Props) {
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [before, setBefore] = useState('');
  const search = (words: string) => {
    setTyped(words);
    onSearchChange?.(words);
  };
  return (
    <Select
      {...props}
      searchable
      searchValue={typed}
      onSearchChange={search}
      // Still to be read while nothing is typed.
      placeholder={open && before ? before : props.placeholder}
      onDropdownOpen={() => {
        setOpen(true);
        setBefore(typed);
        search('');
        onDropdownOpen?.();
      }}
      onDropdownClose={() => {
        setOpen(false);
        setTyped((now) => now || before);
        onDropdownClose?.();
      }}
    />
  );
}
