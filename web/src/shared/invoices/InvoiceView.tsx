import { Button, Skeleton, Text } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { InvoiceDetail } from '../../api/types';
import { date } from '../../messages/format';
import { actorName } from '../../messages/actorName';
import { paths } from '../../paths';
import { Money } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { Prose } from '../../ui/Prose';
import { Section } from '../../ui/Section';
import { toast } from '../../ui/toasts';
import { TwoColumns } from '../../ui/TwoColumns';
import { RecordError, type ParentList } from '../records/RecordError';
import { Crumb } from '../shell/Crumb';
import { BankDetails } from './BankDetails';
import { CreditNoteButton } from './CreditNoteButton';
import classes from './InvoiceView.module.css';
import { PrintableInvoice } from './PrintableInvoice';
import { Receipts } from './Receipts';
import { downloadInvoice } from './download';
import { nextPayment } from './nextPayment';
import { ClientLink, RecordLink } from '../records/links';
import { useMe } from '../session/me';
import { orderNameOf } from '../spvs/orderName';

interface Props {
  id: string;
  list: ParentList;
  /** Actions on the invoice. */
  actions?: (invoice: InvoiceDetail) => ReactNode;
  /** Actions on a receipt. */
  receiptActions?: (invoice: InvoiceDetail) => ReactNode;
  /** Additional content beside the invoice. */
  side?: (invoice: InvoiceDetail) => ReactNode;
}

/** Invoice page content: document, payments and payment instructions. */
export function InvoiceView({ id, list, actions, receiptActions, side }: Props) {
  const { t } = useTranslation('billing');
  const { data: invoice, error, refetch } = useQuery(queries.invoice(id));
  if (error && !invoice)
    return <RecordError error={error} kind={t('one')} list={list} onRetry={() => void refetch()} />;
  const isDue =
    invoice !== undefined &&
    Number(invoice.due) > 0 &&
    invoice.status !== 'void' &&
    invoice.status !== 'paid';
  return (
    <>
      <div className={classes.screen}>
        <PageHeader
          title={invoice ? t('invoice', { number: invoice.number }) : t('one')}
          text={invoice && <Subject invoice={invoice} />}
          trail={<Crumb to={list.to}>{list.name}</Crumb>}
          actions={
            invoice && (
              <>
                {actions?.(invoice)}
                <Download invoice={invoice} />
                <Button
                  variant="default"
                  leftSection={<IconPrinter size={15} />}
                  onClick={() => globalThis.print()}
                >
                  {t('print')}
                </Button>
              </>
            )
          }
        />
      </div>
      {invoice ? (
        <TwoColumns
          main={<PrintableInvoice invoice={invoice} isDue={isDue} />}
          side={
            <div className={classes.side}>
              {side?.(invoice)}
              <Payments invoice={invoice} />
              <CreditNotes invoice={invoice} />
              {receiptActions && <Receipts invoice={invoice} actions={receiptActions(invoice)} />}
              {isDue && (
                <BankDetails bank={invoice.bank} reference={invoice.number} payment={nextPayment(invoice)} />
              )}
              {/* Payment instructions first for payers. */}
              {!receiptActions && <Receipts invoice={invoice} />}
            </div>
          }
        />
      ) : (
        <Skeleton height={420} radius="md" />
      )}
    </>
  );
}

/** The client and the order of an invoice, each a link to its record where the reader has one. */
function Subject({ invoice }: { invoice: InvoiceDetail }) {
  const isClient = useMe().role === 'client';
  const { client, spv_id: order } = invoice;
  return (
    <>
      {isClient ? client.name : <ClientLink id={client.id} name={client.name} />}
      {' · '}
      <RecordLink
        to={isClient ? paths.clientOrder(order) : paths.employeeOrder(order)}
        name={orderNameOf(invoice)}
      />
    </>
  );
}

function Download({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation(['billing', 'common']);
  const download = useMutation({
    mutationFn: () => downloadInvoice(invoice.id, `${invoice.number}.pdf`),
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} />}
      disabled={download.isPending}
      onClick={() => download.mutate()}
    >
      {download.isPending ? t('downloading') : t('download')}
    </Button>
  );
}

function Payments({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation('billing');
  return (
    <Section title={t('payments')}>
      {invoice.payments.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('payments.empty')}
        </Text>
      )}
      <ul className={classes.payments}>
        {invoice.payments.map((payment) => (
          <li key={payment.id}>
            <Money amount={payment.amount} currency={invoice.currency} />
            <span className={classes.fact}>
              {t('payments.received', { date: date(payment.received_date) })}
              {payment.recorded_by && ` ${t('payments.by', { name: actorName(t, payment.recorded_by) })}`}
            </span>
            {payment.note && (
              <span className={classes.fact}>
                <Prose>{payment.note}</Prose>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function CreditNotes({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation('billing');
  if (invoice.credit_notes.length === 0) return null;
  return (
    <Section title={t('credit_notes')}>
      <ul className={classes.payments}>
        {invoice.credit_notes.map((note) => (
          <li key={note.id} className={classes.note}>
            <div>
              <Money amount={`-${note.amount}`} currency={note.currency} />
              <div className={classes.fact}>
                {t('credit_notes.issued', { number: note.number, date: date(note.issued_date) })}
              </div>
              <div className={classes.fact}>
                <Prose>{note.description}</Prose>
              </div>
            </div>
            <CreditNoteButton note={note} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
