import { useTranslation } from 'react-i18next';
import type { InvoiceDetail } from '../../api/types';
import { decimalText } from '../../messages/amount';
import { date, money, percent } from '../../messages/format';
import { BankFacts } from './BankDetails';
import { nextPayment } from './nextPayment';
import classes from './PrintableInvoice.module.css';
import { InvoiceState } from './InvoiceState';
import { Prose } from '../../ui/Prose';

/** A column that a phone has no room for; see [Calculation]. */
const wide = `${classes.amount} ${classes.wide}`;

/** How the amount of a line comes about, below its description on phones. */
function Calculation({ quantity, tax }: { quantity: string | false; tax: string | false }) {
  const parts = [quantity, tax].filter(Boolean);
  return parts.length > 0 && <div className={classes.calculation}>{parts.join(' · ')}</div>;
}

/** Printable invoice with payment instructions while due. */
export function PrintableInvoice({ invoice, isDue }: { invoice: InvoiceDetail; isDue: boolean }) {
  const { t } = useTranslation(['billing', 'common', 'names']);
  const amount = (value: string) => money(value, invoice.currency);
  const { from } = invoice;
  // Columns that say something.
  const hasQuantities = invoice.lines.some((line) => line.amount !== line.unit_price);
  const hasTax = invoice.taxes.length > 0;
  const taxName = invoice.tax_name ?? t('names:paper.tax');
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
        {invoice.former_number && (
          <Fact label={t('names:paper.former_number')} value={invoice.former_number} />
        )}
        <Fact label={t('issued')} value={date(invoice.issued_date)} />
        <Fact label={t('due_date')} value={date(invoice.due_date)} />
      </div>
      <table className={classes.lines}>
        <thead>
          <tr>
            <th scope="col">{t('description')}</th>
            {hasQuantities && (
              <>
                <th scope="col" className={wide}>
                  {t('names:paper.quantity')}
                </th>
                <th scope="col" className={wide}>
                  {t('names:paper.unit_price')}
                </th>
              </>
            )}
            {hasTax && (
              <th scope="col" className={wide}>
                {taxName}
              </th>
            )}
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
                <Calculation
                  quantity={hasQuantities && `${decimalText(line.quantity)} × ${amount(line.unit_price)}`}
                  tax={hasTax && `${taxName} ${percent(line.tax_percent)}`}
                />
              </td>
              {hasQuantities && (
                <>
                  <td className={wide}>{decimalText(line.quantity)}</td>
                  <td className={wide}>{amount(line.unit_price)}</td>
                </>
              )}
              {hasTax && <td className={wide}>{percent(line.tax_percent)}</td>}
              <td className={classes.amount}>{amount(line.amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {/* A table of its own: on a phone, a label across hidden columns would move the amounts of the lines. */}
      <table className={classes.totals} aria-label={t('totals')}>
        <tbody>
          {hasTax && <Sum label={t('names:paper.net')} value={amount(invoice.net)} />}
          {invoice.taxes.map((tax) => (
            <Sum
              key={tax.percent}
              label={t('names:paper.tax_on', {
                tax: `${taxName} ${percent(tax.percent)}`,
                net: amount(tax.net),
              })}
              value={amount(tax.tax)}
            />
          ))}
          <Sum label={t('total')} value={amount(invoice.total)} strong />
          {Number(invoice.credited) > 0 && (
            <Sum label={t('credited')} value={amount(`-${invoice.credited}`)} />
          )}
          <Sum label={t('paid')} value={amount(invoice.paid)} />
          <Sum label={t('due')} value={amount(invoice.due)} strong />
          {Number(invoice.credit) > 0 && <Sum label={t('credit')} value={amount(invoice.credit)} />}
        </tbody>
      </table>
      <Installments invoice={invoice} />
      {[invoice.tax_note, invoice.terms].map(
        (text) =>
          text && (
            <p key={text} className={classes.note}>
              <Prose>{text}</Prose>
            </p>
          ),
      )}
      {invoice.void_reason && (
        <p className={classes.void}>
          <Prose>{t('voided', { reason: invoice.void_reason })}</Prose>
          {invoice.replaced_by && ` ${t('replaced_by', { number: invoice.replaced_by })}`}
        </p>
      )}
      {isDue && invoice.bank && (
        <div className={classes.pay}>
          <h3>{t('bank.title')}</h3>
          <BankFacts bank={invoice.bank} reference={invoice.number} payment={nextPayment(invoice)} />
        </div>
      )}
    </article>
  );
}

/** Due dates of a deposit, a balance and the like. */
function Installments({ invoice }: { invoice: InvoiceDetail }) {
  const { t } = useTranslation(['billing', 'names']);
  if (invoice.installments.length === 0) return null;
  const amount = (value: string) => money(value, invoice.currency);
  return (
    <table className={classes.installments}>
      <caption>{t('names:paper.installments')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('column.due_date')}</th>
          <th scope="col" className={classes.amount}>
            {t('column.amount')}
          </th>
          <th scope="col" className={classes.amount}>
            {t('paid')}
          </th>
          <th scope="col" className={classes.amount}>
            {t('due')}
          </th>
        </tr>
      </thead>
      <tbody>
        {invoice.installments.map((installment) => (
          <tr key={installment.due_date}>
            <th scope="row">{date(installment.due_date)}</th>
            <td className={classes.amount}>{amount(installment.amount)}</td>
            <td className={classes.amount}>{amount(installment.paid)}</td>
            <td className={classes.amount}>{amount(installment.due)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A sum below the lines. */
function Sum({ label, value, strong = false }: { label: string; value: string; strong?: boolean }) {
  return (
    <tr className={strong ? classes.strong : undefined}>
      <th scope="row">{label}</th>
      <td className={classes.amount}>{value}</td>
    </tr>
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
