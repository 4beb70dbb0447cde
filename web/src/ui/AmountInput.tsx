import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { amountText, decimalText, parseAmount, parsePercent } from '../messages/amount';
import { money, percent } from '../messages/format';
import classes from './AmountInput.module.css';

/**
 * Decimal input as text, so nothing typed is lost or rounded. Groups the digits once typing ends, and shows the parsed
 * amount below. `unit` is a currency or `%`.
 */
export function AmountInput({ unit, ...rest }: TextInputProps & { unit: string }) {
  const [typing, setTyping] = useState(false);
  const typed = typeof rest.value === 'string' ? rest.value : '';
  const reading = useParsedAmount(typed, unit);
  return (
    <div>
      <TextInput
        size="sm"
        inputMode="decimal"
        autoComplete="off"
        classNames={{ input: classes.input, section: classes.unit }}
        rightSection={<span aria-hidden="true">{unit}</span>}
        rightSectionWidth={48}
        rightSectionPointerEvents="none"
        {...rest}
        value={typing || unit === '%' ? typed : amountText(typed, unit)}
        onChange={(event) => {
          setTyping(true);
          rest.onChange?.(event);
        }}
        onBlur={(event) => {
          setTyping(false);
          rest.onBlur?.(event);
        }}
      />
      <output className={classes.reading}>{reading}</output>
    </div>
  );
}

function useParsedAmount(typed: string, unit: string): string {
  const { t } = useTranslation('common');
  if (!typed.trim()) return '';
  const reading = unit === '%' ? parsePercent(typed) : parseAmount(typed, unit);
  switch (reading.kind) {
    case 'read':
      return t('amount.read', {
        amount: unit === '%' ? percent(reading.value) : money(reading.value, unit),
      });
    case 'ambiguous':
      return t('amount.ambiguous', {
        grouped: decimalText(reading.grouped),
        decimal: decimalText(reading.decimal),
      });
    case 'too_fine':
      return t('amount.too_fine', { count: reading.max });
    case 'unreadable':
      return '';
  }
}
