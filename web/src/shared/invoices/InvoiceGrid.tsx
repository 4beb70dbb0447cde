import { IconReceipt2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists, type InvoiceQuery } from '../../api/lists';
import type { Invoice, InvoiceStatus } from '../../api/types';
import { DateText } from '../../ui/DateText';
import { DetailList } from '../../ui/DetailList';
import { EmptyState } from '../../ui/EmptyState';
import { Money } from '../../ui/Money';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { ExportButton } from '../ExportButton';
import { ListGrid, type GridQuery } from '../grid/ListGrid';
import { ages } from './ages';
import { useInvoiceColumns } from './invoiceColumns';
import { InvoiceState } from './InvoiceState';
import { orderNameOf } from '../spvs/orderName';

const states: InvoiceStatus[] = ['due', 'part_paid', 'paid', 'void'];
/** Saved views that each person has: what is due first stands first. */
const views = ['overdue', 'week'] as const;
const dueDates = [...views, ...ages] as const;

interface Props {
  /** Path of an invoice page. */
  pathOf: (id: string) => string;
  /** Staff see the client, select rows and export. */
  staff?: boolean;
}

function invoiceQuery({ q, order, limit, filters }: GridQuery): InvoiceQuery {
  return {
    q,
    order,
    limit,
    status: states.find((known) => known === filters.status),
    due: dueDates.find((known) => known === filters.due),
  };
}

const exportInvoices = (query: InvoiceQuery) =>
  body(api.GET('/rest/v1/invoices.csv', { params: { query }, parseAs: 'blob' }));

/** All payments, whatever the list shows. */
const exportPayments = () => body(api.GET('/rest/v1/payments.csv', { parseAs: 'blob' }));

/** The list of invoices: a client's own, or all for staff. */
export function InvoiceGrid({ pathOf, staff = false }: Props) {
  const { t } = useTranslation(['billing', 'common', 'names']);
  const columns = useInvoiceColumns({ withClient: staff });
  const filters: GridFilter[] = [
    {
      key: 'status',
      label: t('common:status'),
      choices: states.map((value) => ({ value, label: t(`names:invoice_status.${value}`) })),
    },
    {
      key: 'due',
      label: t('column.due_date'),
      choices: dueDates.map((value) => ({ value, label: t(`filter.due_${value}`) })),
    },
  ];
  return (
    <ListGrid<Invoice>
      list="invoices"
      label={t('list')}
      columns={columns}
      rows={(query) => lists.invoices(invoiceQuery(query))}
      rowKey={(invoice) => invoice.id}
      rowName={(invoice) => invoice.number}
      defaultSort={{ key: 'number', descending: true }}
      hrefOf={(invoice) => pathOf(invoice.id)}
      filters={filters}
      search={staff ? t('search') : undefined}
      views={views.map((due) => ({
        key: due,
        name: t(`filter.due_${due}`),
        query: `due=${due}&sort=due_date`,
      }))}
      sumColumn="due"
      amountOf={(invoice) => ({ amount: invoice.due, currency: invoice.currency })}
      bulk={
        staff
          ? (rows) => (
              <ExportButton
                name="invoices"
                load={() => exportInvoices({ ids: rows.map(({ id }) => id).join(',') })}
              />
            )
          : undefined
      }
      peek={(invoice) => <InvoicePeek invoice={invoice} />}
      actions={(query) =>
        staff && (
          <>
            <ExportButton name="invoices" load={() => exportInvoices(invoiceQuery(query))} />
            <ExportButton name="payments" label={t('export_payments')} load={exportPayments} />
          </>
        )
      }
      empty={<EmptyState icon={<IconReceipt2 size={20} />} title={t('empty')} text={t('empty_text')} />}
    />
  );
}

function InvoicePeek({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['billing', 'common']);
  return (
    <DetailList
      details={[
        [t('common:status'), <InvoiceState key="status" invoice={invoice} />],
        [t('billed_to'), invoice.billed_to],
        [t('order'), orderNameOf(invoice)],
        [t('issued'), <DateText key="issued" day={invoice.issued_date} />],
        [t('due_date'), <DateText key="due" day={invoice.due_date} />],
        [t('total'), <Money key="total" amount={invoice.total} currency={invoice.currency} />],
        [t('paid'), <Money key="paid" amount={invoice.paid} currency={invoice.currency} />],
        [t('column.due'), <Money key="open" amount={invoice.due} currency={invoice.currency} />],
      ]}
    />
  );
}
