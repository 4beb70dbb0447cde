import { TextInput, type TextInputProps } from '@mantine/core';

/** A decimal number as text, so that nothing typed is lost or rounded. */
export function AmountInput({ unit, ...rest }: TextInputProps & { unit: string }) {
  return (
    <TextInput
      size="sm"
      inputMode="decimal"
      autoComplete="off"
      className="num"
      rightSection={<span aria-hidden="true">{unit}</span>}
      rightSectionWidth={48}
      rightSectionProps={{ className: 'unit' }}
      {...rest}
    />
  );
}
