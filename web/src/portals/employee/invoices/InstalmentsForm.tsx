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
  InstalmentFields,
  instalmentsToWire,
  newInstalment,
  type InstalmentValues,
} from './InstalmentFields';

/** Divides what an open invoice bills into instalments. */
export function InstalmentsForm({ invoice, onClose }: { invoice: InvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation('billing');
  // The version at opening: a concurrent payment causes a conflict.
  const [initialInvoice] = useState(invoice);
  const { number, currency } = invoice;
  const form = useForm<{ instalments: InstalmentValues[] }>({
    initialValues: {
      instalments:
        invoice.instalments.length > 0
          ? invoice.instalments.map(({ due_date, amount }) => newInstalment({ due_date, amount }))
          : [newInstalment({ due_date: invoice.due_date }), newInstalment()],
    },
  });
  const save = useSave({
    form,
    save: ({ instalments }: typeof form.values) =>
      body(
        api.PUT('/rest/v1/invoices/{id}/instalments', {
          params: versionedBody(initialInvoice),
          body: { instalments: instalmentsToWire(instalments, currency) },
        }),
      ),
    invalidates: 'invoice',
    onSaved: () => {
      toast({ title: t('instalments.done'), description: number });
      onClose();
    },
  });
  const billed = Number(invoice.credited) > 0 ? t('instalments.credited') : '';
  return (
    <FormModal
      title={t('instalments.title', { number })}
      text={[t('instalments.text', { total: money(invoice.total, currency) }), billed]
        .filter(Boolean)
        .join(' ')}
      size="md"
      submitLabel={t('instalments.submit')}
      busyLabel={t('instalments.saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <InstalmentFields
        rows={form.values.instalments}
        currency={currency}
        problem={form.errors.instalments}
        field={(index, name) => form.getInputProps(`instalments.${index}.${name}`)}
        onAdd={() => form.insertListItem('instalments', newInstalment())}
        onRemove={(index) => form.removeListItem('instalments', index)}
      />
    </FormModal>
  );
}
