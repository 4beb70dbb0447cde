import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { NewInvoiceForm } from '../invoices/NewInvoiceForm';

/** Opens the form of an invoice beside those over the order's price. */
export function NewInvoiceButton({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('billing');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t('create')}
      </Button>
      {open && <NewInvoiceForm spv={spv} onClose={() => setOpen(false)} />}
    </>
  );
}
