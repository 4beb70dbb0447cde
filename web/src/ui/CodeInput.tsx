import { TextInput, type TextInputProps } from '@mantine/core';
import classes from './CodeInput.module.css';

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange: (code: string) => void;
};

/** Six-digit code input. One field, so it can be pasted and autofilled. */
export function CodeInput({ onChange, ...rest }: Props) {
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCorrect="off"
      spellCheck={false}
      maxLength={12}
      {...rest}
      classNames={{ input: classes.input }}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/g, '').slice(0, 6))}
    />
  );
}

export const isWholeCode = (code: string) => /^\d{6}$/.test(code);
