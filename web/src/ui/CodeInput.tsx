import { TextInput, type TextInputProps } from '@mantine/core';
import classes from './CodeInput.module.css';

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange: (code: string) => void;
};

/** The six digits of an app or a mail. One field: it can be pasted, filled in by the device and read out. */
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
