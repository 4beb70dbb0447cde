import { Button, Checkbox, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../../api/client';
import type { NewInvoice, SpvDetail } from '../../../api/types';
import { amountToWire, percentToWire } from '../../../messages/amount';
import { todayInOfficeZone } from '../../../messages/format';
import { useCurrencies, type Currency } from '../../../shared/countries';
import { useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { DateField } from '../../../ui/DateField';
import { FieldPair, FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import {
  InstallmentFields,
  installmentsToWire,
  newInstallment,
  type InstallmentValues,
} from './InstallmentFields';
import { InvoiceLineFields, newLine, type LineValues } from './InvoiceLineFields';
import { InvoiceSums } from './InvoiceSums';
import classes from './NewInvoiceForm.module.css';

interface Values {
  currency: Currency;
  lines: LineValues[];
  prices_include_tax: boolean;
  reverse_charge: boolean;
  due_date: string;
  terms: string;
  installments: InstallmentValues[];
}

/** Issues an invoice over lines, beside the invoices over the order's price. */
export function NewInvoiceForm({ spv, onClose }: { spv: SpvDetail; onClose: () => void }) {
  const { t } = useTranslation(['billing', 'names']);
  const form = useForm<Values>({
    initialValues: {
      currency: spv.currency,
      lines: [newLine('fee')],
      prices_include_tax: false,
      reverse_charge: false,
      due_date: '',
      terms: '',
      installments: [],
    },
  });
  const save = useSave({
    form,
    save: (values: Values, key) =>
      body(api.POST('/rest/v1/invoices', { params: idempotencyHeaders(key), body: toWire(spv.id, values) })),
    invalidates: 'invoice',
    onSaved: ({ number }) => {
      toast({ title: t('create.done'), description: number });
      onClose();
    },
  });
  const { values } = form;
  const currencies = useCurrencies(spv.currency);
  return (
    <FormModal
      title={t('create.title', { order: spv.identifier })}
      text={t('create.text')}
      size="xl"
      submitLabel={t('create.submit')}
      busyLabel={t('create.saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((submitted) => save.mutate(submitted))}
      onClose={onClose}
    >
      <ol className={classes.lines}>
        {values.lines.map((line, index) => (
          <li key={line.key}>
            <InvoiceLineFields
              number={index + 1}
              currency={values.currency}
              withTax={!values.reverse_charge}
              field={(name) => form.getInputProps(`lines.${index}.${name}`)}
              onRemove={values.lines.length > 1 ? () => form.removeListItem('lines', index) : undefined}
            />
          </li>
        ))}
      </ol>
      {form.errors.lines && (
        <p role="alert" className={classes.problem}>
          {form.errors.lines}
        </p>
      )}
      <div className={classes.add}>
        {(['fee', 'filing_fee', 'discount'] as const).map((kind) => (
          <Button
            key={kind}
            variant="default"
            size="compact-sm"
            onClick={() => form.insertListItem('lines', newLine(kind))}
          >
            {t(`create.add_${kind}`)}
          </Button>
        ))}
      </div>
      <FieldPair>
        <ChoiceSelect
          label={t('names:field.currency')}
          choices={currencies}
          {...form.getInputProps('currency')}
        />
        <DateField
          presets="due"
          min={todayInOfficeZone()}
          label={t('names:field.due_date')}
          description={t('create.due_date_text')}
          {...form.getInputProps('due_date')}
        />
      </FieldPair>
      <Checkbox
        size="sm"
        label={t('create.prices_include_tax')}
        {...form.getInputProps('prices_include_tax', { type: 'checkbox' })}
      />
      <Checkbox
        size="sm"
        label={t('create.reverse_charge')}
        description={t('create.reverse_charge_text')}
        {...form.getInputProps('reverse_charge', { type: 'checkbox' })}
      />
      <Textarea
        size="sm"
        autosize
        minRows={2}
        label={t('names:field.terms')}
        description={t('create.terms_text')}
        {...form.getInputProps('terms')}
      />
      <InstallmentFields
        rows={values.installments}
        currency={values.currency}
        problem={form.errors.installments}
        field={(index, name) => form.getInputProps(`installments.${index}.${name}`)}
        onAdd={() => form.insertListItem('installments', newInstallment())}
        onRemove={(index) => form.removeListItem('installments', index)}
      />
      <InvoiceSums invoice={{ ...toWire(spv.id, values), installments: [] }} />
    </FormModal>
  );
}

function toWire(spv_id: string, { currency, lines, ...values }: Values): NewInvoice {
  const line = (of: LineValues) => ({
    description: of.description,
    kind: of.kind,
    quantity: amountOrEmpty(of.quantity),
    unit_price: amountToWire(of.unit_price, currency),
    tax_percent: values.reverse_charge || !of.tax_percent.trim() ? null : percentToWire(of.tax_percent),
  });
  return {
    spv_id,
    currency,
    lines: lines.map(line),
    prices_include_tax: values.prices_include_tax,
    reverse_charge: values.reverse_charge,
    due_date: values.due_date || null,
    terms: values.terms.trim() || null,
    installments: installmentsToWire(values.installments, currency),
  };
}

/** A quantity reads as a percentage: a point is always decimal. */
function amountOrEmpty(typed: string): string | null {
  return typed.trim() ? percentToWire(typed) : null;
}
