import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths';
import { InvoiceAging } from '../../../shared/invoices/InvoiceAging';
import { InvoiceGrid } from '../../../shared/invoices/InvoiceGrid';
import { OutstandingAmounts } from '../../../shared/invoices/OutstandingAmounts';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';

/** Invoices and payments of all clients. */
export function Component() {
  const { t } = useTranslation('billing');
  return (
    <>
      <PageHeader title={t('title_office')} text={t('text_office')} />
      <Stack gap="md">
        <OutstandingAmounts title={t('owed.title_office')} creditTitle={t('credit.title_office')} />
        <InvoiceAging />
        <Section title={t('list')} flush>
          <InvoiceGrid pathOf={paths.employeeInvoice} staff />
        </Section>
      </Stack>
    </>
  );
}
