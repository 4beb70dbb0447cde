import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Invoice } from '../../api/types';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import type { GridColumn } from '../../ui/grid/columns';
import { ClientLink } from '../records/links';
import { InvoiceState } from './InvoiceState';
import { orderNameOf } from '../spvs/orderName';

/** Columns of invoices; with the client for staff. */
export function useInvoiceColumns({ withClient }: { withClient: boolean }): GridColumn<Invoice>[] {
  const { t } = useTranslation(['billing', 'common']);
  return [
    {
      key: 'number',
      header: t('column.invoice'),
      sort: 'number',
      descendingFirst: true,
      phone: 'title',
      link: (invoice) => <span className="num">{invoice.number}</span>,
      cell: () => null,
    },
    {
      key: 'for',
      header: withClient ? t('column.for') : t('order'),
      sort: withClient ? 'billed_to' : undefined,
      phone: 'text',
      cell: (invoice) => (
        <>
          {withClient && <ClientLink id={invoice.client.id} name={invoice.client.name} />}
          <Text
            size="xs"
            c={withClient ? 'dimmed' : undefined}
            className={invoice.vehicle_name ? undefined : 'mono'}
          >
            {orderNameOf(invoice)}
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'end',
      cell: (invoice) => <InvoiceState invoice={invoice} />,
    },
    {
      key: 'issued',
      extra: true,
      header: t('column.issued'),
      cell: (invoice) => <DateText day={invoice.issued_date} />,
    },
    {
      key: 'due_date',
      header: t('column.due_date'),
      sort: 'due_date',
      cell: (invoice) => <DateText day={invoice.due_date} />,
    },
    {
      key: 'total',
      header: t('column.amount'),
      align: 'right',
      sort: 'total',
      descendingFirst: true,
      phone: 'side',
      cell: (invoice) => <Amount of={invoice} amount={invoice.total} />,
    },
    {
      key: 'due',
      header: t('column.due'),
      align: 'right',
      cell: (invoice) => <Amount of={invoice} amount={invoice.due} />,
    },
  ];
}

/** In the background where nothing is to be paid: amounts of void invoices, and zero. */
function Amount({ of, amount }: { of: Invoice; amount: string }) {
  const open = of.status !== 'void' && Number(amount) > 0;
  return (
    <Text component="span" fz="inherit" c={open ? undefined : 'dimmed'}>
      <Money amount={amount} currency={of.currency} />
    </Text>
  );
}
