import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { api, body, idempotencyHeaders, versionedBody } from '../../../api/client';
import type { InvoiceDetail } from '../../../api/types';
import { paths } from '../../../paths';
import { InvoiceView } from '../../../shared/invoices/InvoiceView';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { toast } from '../../../ui/toasts';
import { InstallmentsForm } from './InstallmentsForm';
import { PaymentForm } from './PaymentForm';

export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('billing');
  const list = { to: paths.employeeInvoices, name: t('back') };
  return (
    <InvoiceView
      id={id}
      list={list}
      actions={(invoice) => <Actions invoice={invoice} />}
      receiptActions={(invoice) => invoice.receipts.length > 0 && <Pay invoice={invoice} />}
    />
  );
}

/** Payment form beside the receipt. */
function Pay({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation('billing');
  const [open, setOpen] = useState(false);
  if (!invoice.can.includes('pay')) return null;
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t('pay.of_receipt')}
        onClick={() => setOpen(true)}
      >
        {t('pay')}
      </Button>
      {open && <PaymentForm invoice={invoice} onClose={() => setOpen(false)} />}
    </>
  );
}

function Actions({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation('billing');
  const [dialog, setDialog] = useState<'pay' | 'void' | 'raise' | 'installments' | null>(null);
  const close = () => setDialog(null);
  const { number } = invoice;
  const voiding = useSave({
    save: (reason: string) =>
      body(api.POST('/rest/v1/invoices/{id}/void', { params: versionedBody(invoice), body: { reason } })),
    invalidates: 'invoice',
    onSaved: () => {
      close();
      toast({ title: t('void.done'), description: number });
    },
  });
  return (
    <>
      {invoice.can.includes('pay') && <Button onClick={() => setDialog('pay')}>{t('pay')}</Button>}
      {invoice.can.includes('set_installments') && (
        <Button variant="default" onClick={() => setDialog('installments')}>
          {t('installments')}
        </Button>
      )}
      {invoice.can.includes('void') && (
        <Button variant="default" onClick={() => setDialog('void')}>
          {t('void')}
        </Button>
      )}
      {invoice.can.includes('raise') && <Button onClick={() => setDialog('raise')}>{t('raise')}</Button>}
      {dialog === 'raise' && <RaiseDialog invoice={invoice} onClose={close} />}
      {dialog === 'installments' && <InstallmentsForm invoice={invoice} onClose={close} />}
      {dialog === 'pay' && <PaymentForm invoice={invoice} onClose={close} />}
      {dialog === 'void' && (
        <ReasonDialog
          title={t('void.title', { number })}
          text={t('void.text')}
          confirmLabel={t('void')}
          save={voiding}
          onConfirm={(reason) => voiding.mutate(reason)}
          onClose={close}
        />
      )}
    </>
  );
}

/** Raises a void invoice again. */
function RaiseDialog({ invoice, onClose }: { invoice: InvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation('billing');
  const navigate = useNavigate();
  const raise = useSave({
    save: (_: undefined, key) => {
      const { path, header } = versionedBody(invoice);
      const params = { path, header: { ...header, ...idempotencyHeaders(key).header } };
      return body(api.POST('/rest/v1/invoices/{id}/raise', { params, body: {} }));
    },
    invalidates: 'invoice',
    onSaved: ({ id, number }) => {
      onClose();
      toast({ title: t('raise.done'), description: number });
      void navigate(paths.employeeInvoice(id));
    },
  });
  return (
    <ConfirmDialog
      title={t('raise.title', { number: invoice.number })}
      confirmLabel={t('raise')}
      busyLabel={t('raise.saving')}
      busy={raise.isPending}
      onConfirm={() => raise.mutate(undefined)}
      onClose={onClose}
    >
      {t('raise.text')}
    </ConfirmDialog>
  );
}
