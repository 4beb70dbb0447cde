import { Checkbox, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../../api/client';
import type { InvoiceDetail } from '../../../api/types';
import { amountToWire, parseAmount } from '../../../messages/amount';
import { money, todayInOfficeZone } from '../../../messages/format';
import { orNull, required } from '../../../shared/validators';
import { useRequiredFieldsMessage, useSave } from '../../../shared/useSave';
import { AmountInput } from '../../../ui/AmountInput';
import { DateField } from '../../../ui/DateField';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';

/** Records a payment. The amount is typed twice and never prefilled. */
export function PaymentForm({ invoice, onClose }: { invoice: InvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation(['billing', 'names']);
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: {
      amount: '',
      amount_again: '',
      received_date: todayInOfficeZone(),
      note: '',
      keep_excess: false,
    },
    validate: { amount: required, amount_again: required, received_date: required },
  });
  const { id, number, currency } = invoice;
  const amount = parseAmount(form.values.amount, currency);
  const isMore = amount.kind === 'read' && Number(amount.value) > Number(invoice.due);
  // The version at opening: a concurrent payment causes a conflict.
  const [initialInvoice] = useState(invoice);
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(
        api.POST('/rest/v1/invoices/{id}/payments', {
          params: {
            path: { id },
            header: { ...versionedBody(initialInvoice).header, ...idempotencyHeaders(key).header },
          },
          body: {
            amount: amountToWire(values.amount, currency),
            amount_again: amountToWire(values.amount_again, currency),
            received_date: values.received_date,
            note: orNull(values.note),
            keep_excess: values.keep_excess,
          },
        }),
      ),
    invalidates: 'invoice',
    onSaved: (paid) => {
      toast({ title: t('pay.done'), description: paid.number });
      onClose();
    },
  });
  return (
    <FormModal
      title={t('pay.title', { number })}
      text={t('pay.text', { due: money(invoice.due, currency) })}
      size="md"
      submitLabel={t('pay')}
      busyLabel={t('pay.saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <FieldPair>
        <AmountInput
          unit={currency}
          label={t('names:field.amount')}
          required
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <AmountInput
          unit={currency}
          label={t('names:field.amount_again')}
          required
          {...form.getInputProps('amount_again')}
        />
      </FieldPair>
      <DateField
        presets="past"
        max={todayInOfficeZone()}
        label={t('names:field.received_date')}
        required
        {...form.getInputProps('received_date')}
      />
      {isMore && (
        <Checkbox
          size="sm"
          label={t('pay.keep_excess')}
          description={t('pay.keep_excess_text')}
          {...form.getInputProps('keep_excess', { type: 'checkbox' })}
        />
      )}
      <Textarea label={t('names:field.note')} autosize minRows={2} {...form.getInputProps('note')} />
    </FormModal>
  );
}
