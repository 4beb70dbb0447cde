import { Anchor } from '@mantine/core';
import { IconReceipt2 } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import type { CreditNote, Invoice, Spv } from '../../api/types';
import { date } from '../../messages/format';
import { paths } from '../../paths';
import { ActivitySkeleton } from '../../ui/ActivityList';
import { Money } from '../../ui/Money';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { rowsState } from '../grid/listState';
import { useMe } from '../session/me';
import { CreditNoteButton } from './CreditNoteButton';
import { InvoiceState } from './InvoiceState';
import classes from './OrderInvoices.module.css';

/** Invoices and credit notes of an order, visible to its client and staff. */
export function OrderInvoices({ spv, actions }: { spv: Pick<Spv, 'id'>; actions?: ReactNode }) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const { rows, error, retry } = rowsState(useInfiniteQuery(queries.invoices({ spv_id: spv.id })));
  const { data: notes = [] } = useInfiniteQuery(queries.creditNotes({ spv_id: spv.id }));
  const pathOf = me.role === 'client' ? paths.clientInvoice : paths.employeeInvoice;
  return (
    <Section title={t('list')} actions={actions} flush>
      {!rows && error && <ErrorState message={error} onRetry={retry} />}
      {!rows && !error && <ActivitySkeleton />}
      {rows?.length === 0 && <EmptyState icon={<IconReceipt2 size={20} />} title={t('empty')} />}
      {rows && rows.length > 0 && (
        <ul className={classes.list}>
          {rows.map((invoice) => (
            <Row key={invoice.id} invoice={invoice} path={pathOf(invoice.id)} />
          ))}
          {notes.map((note) => (
            <CreditNoteRow key={note.id} note={note} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Row({ invoice, path }: { invoice: Invoice; path: string }) {
  const { t } = useTranslation('billing');
  return (
    <li className={classes.row}>
      <div>
        <Anchor component={Link} to={path} fz="inherit" fw={500} className="num">
          {invoice.number}
        </Anchor>
        <p className={classes.fact}>{t('due_on', { date: date(invoice.due_date) })}</p>
      </div>
      <div className={classes.end}>
        <Money amount={invoice.total} currency={invoice.currency} />
        <div>
          <InvoiceState invoice={invoice} />
        </div>
      </div>
    </li>
  );
}

function CreditNoteRow({ note }: { note: CreditNote }) {
  const { t } = useTranslation('billing');
  return (
    <li className={classes.row}>
      <div>
        <span className={classes.name}>{t('credit_note', { number: note.number })}</span>
        <p className={classes.fact}>
          {t('credit_notes.of', { number: note.invoice_number, date: date(note.issued_date) })}
        </p>
      </div>
      <div className={classes.credit}>
        <Money amount={`-${note.amount}`} currency={note.currency} />
        <CreditNoteButton note={note} />
      </div>
    </li>
  );
}
