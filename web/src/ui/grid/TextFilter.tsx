import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './FilterChips.module.css';

interface Props {
  label: string;
  value: string;
  onApply: (value: string) => void;
}

/** Field of a filter by a text. */
export function TextFilter({ label, value, onApply }: Props) {
  const { t } = useTranslation('grid');
  const [typed, setTyped] = useState(value);
  return (
    <form
      className={classes.text}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(typed.trim());
      }}
    >
      <TextInput
        label={label}
        value={typed}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit">{t('apply')}</Button>
    </form>
  );
}
