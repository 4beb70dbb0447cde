import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import { paths } from '../../../paths';
import { ExportButton } from '../../../shared/ExportButton';
import { BankDetails } from '../../../shared/invoices/BankDetails';
import { InvoiceGrid } from '../../../shared/invoices/InvoiceGrid';
import { OutstandingAmounts } from '../../../shared/invoices/OutstandingAmounts';
import { Section } from '../../../ui/Section';
import { NextPayments } from './NextPayments';

/** Outstanding amounts, bank details and invoices. */
export function BillingPanel() {
  const { t } = useTranslation('billing');
  const { data, isPending } = useQuery(queries.billing());
  return (
    <Stack gap="md">
      <OutstandingAmounts title={t('owed.title')} creditTitle={t('credit.title')} />
      {data && data.payments.length > 0 && <NextPayments payments={data.payments} />}
      {data && data.owed.length > 0 && <BankDetails bank={data.bank} />}
      {/* Waits for the bank details above, to avoid a layout shift. */}
      {!isPending && (
        <Section
          title={t('list')}
          flush
          actions={
            <ExportButton
              name="invoices"
              load={() => body(api.GET('/rest/v1/invoices.csv', { parseAs: 'blob' }))}
            />
          }
        >
          <InvoiceGrid pathOf={paths.clientInvoice} />
        </Section>
      )}
    </Stack>
  );
}
