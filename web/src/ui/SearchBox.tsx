import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  label: string;
  value: string;
  /** Placeholder. */
  placeholder?: string;
  onChange: (value: string) => void;
}

/** Debounced search box. */
export function SearchBox({ label, value, placeholder, onChange }: Props) {
  const { t } = useTranslation('common');
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const [reported, setReported] = useState(value);
  // An external change replaces the text, unless the user is typing.
  if (value !== known) {
    setKnown(value);
    if (value !== reported && typed.trim() === known) {
      setTyped(value);
      setReported(value);
    }
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => {
      setReported(typed.trim());
      onChange(typed.trim());
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder ?? t('search')}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<IconSearch size={15} aria-hidden="true" />}
      rightSection={
        typed && (
          <CloseButton
            size="sm"
            aria-label={t('clear_search')}
            onClick={() => (setTyped(''), setReported(''), onChange(''))}
          />
        )
      }
      w={{ base: '100%', xs: 240 }}
    />
  );
}
