import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { InvoiceLineKind } from '../../../api/types';
import { AmountInput } from '../../../ui/AmountInput';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import classes from './NewInvoiceForm.module.css';

export interface LineValues {
  /** React key of the line. */
  key: string;
  kind: InvoiceLineKind;
  description: string;
  quantity: string;
  unit_price: string;
  tax_percent: string;
}

const KINDS: InvoiceLineKind[] = ['fee', 'filing_fee', 'discount'];

export function newLine(kind: InvoiceLineKind): LineValues {
  return { key: randomId(), kind, description: '', quantity: '1', unit_price: '', tax_percent: '' };
}

interface Props {
  /** Which line it is, from 1. */
  number: number;
  currency: string;
  withTax: boolean;
  field: (name: Exclude<keyof LineValues, 'key'>) => TextInputProps & { onChange: (value: unknown) => void };
  /** Absent for the only line. */
  onRemove?: () => void;
}

/** Fields of one line of an invoice. */
export function InvoiceLineFields({ number, currency, withTax, field, onRemove }: Props) {
  const { t } = useTranslation(['billing', 'names']);
  const kinds = KINDS.map((value) => ({ value, label: t(`names:invoice_line_kind.${value}`) }));
  const { value, onChange, error } = field('kind');
  return (
    <div role="group" aria-label={t('create.line', { number })} className={classes.line}>
      <div className={classes.wide}>
        <TextInput size="sm" label={t('description')} required maxLength={200} {...field('description')} />
        {onRemove && (
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('create.remove', { number })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </div>
      <ChoiceSelect
        label={t('create.kind')}
        choices={kinds}
        value={kinds.find((kind) => kind.value === value)?.value}
        onChange={onChange}
        error={error}
      />
      <TextInput size="sm" inputMode="decimal" label={t('names:field.quantity')} {...field('quantity')} />
      <AmountInput unit={currency} label={t('names:field.unit_price')} required {...field('unit_price')} />
      {withTax && (
        <AmountInput
          unit="%"
          label={t('names:field.tax_percent')}
          placeholder={t('create.usual_tax')}
          {...field('tax_percent')}
        />
      )}
    </div>
  );
}
