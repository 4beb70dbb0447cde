import { Anchor, Text } from '@mantine/core';
import { IconReceipt2 } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import type { Invoice, InvoiceStatus } from '../../api/types';
import { tableState } from '../tableState';
import { DataTable, type Column } from '../../ui/DataTable';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import { EmptyState } from '../../ui/EmptyState';
import { InvoiceState } from './InvoiceState';

interface Props {
  query: { spv_id?: string; client_id?: string; status?: InvoiceStatus; limit?: number };
  /** Path of an invoice page. */
  pathOf: (id: string) => string;
  /** Staff see the client. */
  withClient?: boolean;
}

/** Invoices, newest first. */
export function InvoiceTable({ query, pathOf, withClient = false }: Props) {
  const { t } = useTranslation(['billing', 'common']);
  const state = tableState(useInfiniteQuery(queries.invoices(query)));
  const columns: Column<Invoice>[] = [
    {
      key: 'number',
      header: t('column.invoice'),
      cell: (invoice) => (
        <>
          <Anchor component={Link} to={pathOf(invoice.id)} fw={500} className="mono">
            {invoice.number}
          </Anchor>
          <Text size="xs" c="dimmed">
            {withClient && `${invoice.client.name} · `}
            <span className="mono">{invoice.spv_identifier}</span>
          </Text>
        </>
      ),
    },
    { key: 'issued', header: t('column.issued'), cell: (invoice) => <DateText day={invoice.issued_date} /> },
    { key: 'due_date', header: t('column.due_date'), cell: (invoice) => <DateText day={invoice.due_date} /> },
    { key: 'status', header: t('common:status'), cell: (invoice) => <InvoiceState invoice={invoice} /> },
    {
      key: 'total',
      header: t('column.amount'),
      align: 'right',
      cell: (invoice) => <Money amount={invoice.total} currency={invoice.currency} />,
    },
    {
      key: 'due',
      header: t('column.due'),
      align: 'right',
      cell: (invoice) => <Money amount={invoice.due} currency={invoice.currency} />,
    },
  ];
  return (
    <DataTable
      label={t('list')}
      columns={columns}
      state={state}
      rowKey={(invoice) => invoice.id}
      empty={
        <EmptyState
          icon={<IconReceipt2 size={20} />}
          title={query.status ? t('none_match') : t('empty')}
          text={query.status ? undefined : t('empty_text')}
        />
      }
    />
  );
}
