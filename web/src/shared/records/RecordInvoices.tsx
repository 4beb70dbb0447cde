import { IconReceipt2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { lists } from '../../api/lists';
import type { Invoice } from '../../api/types';
import { paths } from '../../paths';
import { EmptyState } from '../../ui/EmptyState';
import { useInvoiceColumns } from '../invoices/invoiceColumns';
import { RecordGrid } from './RecordGrid';

/** Invoices of a client or of the orders of a company, with what is due on them. */
export function RecordInvoices({ of }: { of: { client_id: string } | { company_id: string } }) {
  const { t } = useTranslation('billing');
  return (
    <RecordGrid<Invoice>
      label={t('list')}
      columns={useInvoiceColumns({ withClient: 'company_id' in of })}
      rows={(order) => lists.invoices({ ...of, order })}
      rowKey={(invoice) => invoice.id}
      hrefOf={(invoice) => paths.employeeInvoice(invoice.id)}
      defaultSort={{ key: 'number', descending: true }}
      sumColumn="due"
      empty={<EmptyState icon={<IconReceipt2 size={20} />} title={t('empty')} />}
    />
  );
}
