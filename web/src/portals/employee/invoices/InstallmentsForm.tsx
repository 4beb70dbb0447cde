import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import type { InvoiceDetail } from '../../../api/types';
import { money } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { FormModal } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import {
  InstallmentFields,
  installmentsToWire,
  newInstallment,
  type InstallmentValues,
} from './InstallmentFields';

/** Divides what an open invoice bills into installments. */
export function InstallmentsForm({ invoice, onClose }: { invoice: InvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation('billing');
  // The version at opening: a concurrent payment causes a conflict.
  const [initialInvoice] = useState(invoice);
  const { number, currency } = invoice;
  const form = useForm<{ installments: InstallmentValues[] }>({
    initialValues: {
      installments:
        invoice.installments.length > 0
          ? invoice.installments.map(({ due_date, amount }) => newInstallment({ due_date, amount }))
          : [newInstallment({ due_date: invoice.due_date }), newInstallment()],
    },
  });
  const save = useSave({
    form,
    save: ({ installments }: typeof form.values) =>
      body(
        api.PUT('/rest/v1/invoices/{id}/installments', {
          params: versionedBody(initialInvoice),
          body: { installments: installmentsToWire(installments, currency) },
        }),
      ),
    invalidates: 'invoice',
    onSaved: () => {
      toast({ title: t('installments.done'), description: number });
      onClose();
    },
  });
  const billed = Number(invoice.credited) > 0 ? t('installments.credited') : '';
  return (
    <FormModal
      title={t('installments.title', { number })}
      text={[t('installments.text', { total: money(invoice.total, currency) }), billed]
        .filter(Boolean)
        .join(' ')}
      size="md"
      submitLabel={t('installments.submit')}
      busyLabel={t('installments.saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <InstallmentFields
        rows={form.values.installments}
        currency={currency}
        problem={form.errors.installments}
        field={(index, name) => form.getInputProps(`installments.${index}.${name}`)}
        onAdd={() => form.insertListItem('installments', newInstallment())}
        onRemove={(index) => form.removeListItem('installments', index)}
      />
    </FormModal>
  );
}
