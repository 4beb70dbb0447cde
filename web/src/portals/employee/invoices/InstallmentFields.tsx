import { ActionIcon, Button, type TextInputProps } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { amountToWire } from '../../../messages/amount';
import { AmountInput } from '../../../ui/AmountInput';
import { DateField } from '../../../ui/DateField';
import classes from './NewInvoiceForm.module.css';

export interface InstallmentValues {
  /** React key of the row. */
  key: string;
  due_date: string;
  amount: string;
}

export function newInstallment(known?: Partial<InstallmentValues>): InstallmentValues {
  return { key: randomId(), due_date: '', amount: '', ...known };
}

export function installmentsToWire(rows: InstallmentValues[], currency: string) {
  return rows.map(({ due_date, amount }) => ({ due_date, amount: amountToWire(amount, currency) }));
}

interface Props {
  rows: InstallmentValues[];
  currency: string;
  /** Error of the whole plan. */
  problem: ReactNode;
  field: (
    index: number,
    name: 'due_date' | 'amount',
  ) => TextInputProps & { onChange: (value: string) => void };
  onAdd: () => void;
  onRemove: (index: number) => void;
}

/** Rows of a plan: due date and amount. */
export function InstallmentFields({ rows, currency, problem, field, onAdd, onRemove }: Props) {
  const { t } = useTranslation(['billing', 'names']);
  return (
    <>
      {rows.map((row, index) => (
        <div
          key={row.key}
          role="group"
          aria-label={t('installments.row', { number: index + 1 })}
          className={classes.installment}
        >
          <DateField
            presets="due"
            label={t('names:field.due_date')}
            required
            value={row.due_date}
            onChange={field(index, 'due_date').onChange}
            error={field(index, 'due_date').error}
          />
          <AmountInput unit={currency} label={t('names:field.amount')} required {...field(index, 'amount')} />
          <ActionIcon
            variant="default"
            size="lg"
            className={classes.remove}
            aria-label={t('installments.remove', { number: index + 1 })}
            onClick={() => onRemove(index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      ))}
      {problem && (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
      <div className={classes.add}>
        <Button variant="default" size="compact-sm" onClick={onAdd}>
          {t('installments.add')}
        </Button>
      </div>
    </>
  );
}
