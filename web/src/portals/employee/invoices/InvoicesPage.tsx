import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import type { InvoiceStatus } from '../../../api/types';
import { paths } from '../../../paths';
import { ExportButton } from '../../../shared/ExportButton';
import { InvoiceTable } from '../../../shared/invoices/InvoiceTable';
import { OutstandingAmounts } from '../../../shared/invoices/OutstandingAmounts';
import { useParam } from '../../../shared/queryParams';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';

const states: InvoiceStatus[] = ['due', 'part_paid', 'paid', 'void'];

/** Invoices and payments of all clients. */
export function Component() {
  const { t } = useTranslation(['billing', 'common', 'names']);
  const [statusParam, setStatusParam] = useParam('status');
  const status = states.find((known) => known === statusParam);
  return (
    <>
      <PageHeader title={t('title_office')} text={t('text_office')} />
      <Stack gap="md">
        <OutstandingAmounts title={t('owed.title_office')} />
        <Section
          title={t('list')}
          flush
          actions={
            <>
              <ChoiceFilter
                label={t('common:status')}
                all={t('status.all')}
                value={status ?? ''}
                choices={states.map((value) => ({ value, label: t(`names:invoice_status.${value}`) }))}
                onChange={setStatusParam}
              />
              <ExportButton
                name="invoices"
                load={() =>
                  body(api.GET('/rest/v1/invoices.csv', { params: { query: { status } }, parseAs: 'blob' }))
                }
              />
            </>
          }
        >
          <InvoiceTable query={{ status }} pathOf={paths.employeeInvoice} withClient />
        </Section>
      </Stack>
    </>
  );
}
