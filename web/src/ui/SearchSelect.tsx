import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<SelectProps, 'searchable' | 'searchValue'>;

/** Combobox with search. Typing replaces the shown value, which returns if nothing is picked. */
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
      // Enter picks the first match; without a search it keeps the value.
      selectFirstOptionOnChange={open && typed !== ''}
      searchValue={typed}
      onSearchChange={search}
      // The value stays visible until the user types.
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
