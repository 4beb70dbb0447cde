import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { decimalText, parseAmount, parsePercent } from '../messages/amount';
import { money, percent } from '../messages/format';
import classes from './AmountInput.module.css';

/**
 * Decimal input as text, so nothing typed is lost or rounded. Shows the parsed amount below. `unit` is a currency or
 * `%`.
 */
export function AmountInput({ unit, ...rest }: TextInputProps & { unit: string }) {
  const reading = useParsedAmount(typeof rest.value === 'string' ? rest.value : '', unit);
  return (
    <div>
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
