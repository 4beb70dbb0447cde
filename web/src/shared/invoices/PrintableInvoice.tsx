import { useTranslation } from 'react-i18next';
import type { InvoiceDetail } from '../../api/types';
import { date, money } from '../../messages/format';
import { BankFacts } from './BankDetails';
import classes from './PrintableInvoice.module.css';
import { InvoiceState } from './InvoiceState';
import { Prose } from '../../ui/Prose';

/** Printable invoice with payment instructions while due. */
export function PrintableInvoice({ invoice, isDue }: { invoice: InvoiceDetail; isDue: boolean }) {
  const { t } = useTranslation(['billing', 'common', 'names']);
  const amount = (value: string) => money(value, invoice.currency);
  const { from } = invoice;
  return (
    <article className={classes.paper} aria-label={t('invoice', { number: invoice.number })}>
      <div className={classes.head}>
        <div>
          <h2 className={classes.kind}>{t('invoice', { number: invoice.number })}</h2>
          <InvoiceState invoice={invoice} />
        </div>
        <div className={classes.issuer}>
          <p className={classes.name}>{from.legal_name}</p>
          <p className={classes.address}>
            <Prose>
              {[from.address, from.tax_id && t('tax_id', { id: from.tax_id })].filter(Boolean).join('\n')}
            </Prose>
          </p>
        </div>
      </div>
      <div className={classes.facts}>
        <div>
          <p className={classes.label}>{t('billed_to')}</p>
          <p className={classes.name}>{invoice.billed_to}</p>
          <p className={classes.address}>
            <Prose>{invoice.billed_address}</Prose>
          </p>
        </div>
        <Fact label={t('order')} value={invoice.spv_identifier} />
        {invoice.reference && <Fact label={t('names:paper.reference')} value={invoice.reference} />}
        <Fact label={t('issued')} value={date(invoice.issued_date)} />
        <Fact label={t('due_date')} value={date(invoice.due_date)} />
      </div>
      <table className={classes.lines}>
        <thead>
          <tr>
            <th scope="col">{t('description')}</th>
            <th scope="col" className={classes.amount}>
              {t('column.amount')}
            </th>
          </tr>
        </thead>
        <tbody>
          {invoice.lines.map((line, index) => (
            <tr key={index}>
              <td>
                <Prose>{line.description}</Prose>
              </td>
              <td className={classes.amount}>{amount(line.amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className={classes.strong}>
            <th scope="row">{t('total')}</th>
            <td className={classes.amount}>{amount(invoice.total)}</td>
          </tr>
          {Number(invoice.credited) > 0 && (
            <tr>
              <th scope="row">{t('credited')}</th>
              <td className={classes.amount}>{amount(`-${invoice.credited}`)}</td>
            </tr>
          )}
          <tr>
            <th scope="row">{t('paid')}</th>
            <td className={classes.amount}>{amount(invoice.paid)}</td>
          </tr>
          <tr className={classes.strong}>
            <th scope="row">{t('due')}</th>
            <td className={classes.amount}>{amount(invoice.due)}</td>
          </tr>
          {Number(invoice.credit) > 0 && (
            <tr>
              <th scope="row">{t('credit')}</th>
              <td className={classes.amount}>{amount(invoice.credit)}</td>
            </tr>
          )}
        </tfoot>
      </table>
      {invoice.void_reason && (
        <p className={classes.void}>
          <Prose>{t('voided', { reason: invoice.void_reason })}</Prose>
          {invoice.replaced_by && ` ${t('replaced_by', { number: invoice.replaced_by })}`}
        </p>
      )}
      {isDue && invoice.bank && (
        <div className={classes.pay}>
          <h3>{t('bank.title')}</h3>
          <BankFacts bank={invoice.bank} reference={invoice.number} />
        </div>
      )}
    </article>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <p className={classes.label}>{label}</p>
      <p>{value}</p>
    </div>
  );
}
