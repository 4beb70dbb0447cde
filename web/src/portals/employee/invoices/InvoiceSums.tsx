import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { NewInvoice } from '../../../api/types';
import { money, percent } from '../../../messages/format';
import classes from './NewInvoiceForm.module.css';

const DEBOUNCE_MS = 300;

/** Net, tax and total of an invoice that is being written, as the server will sum it. */
export function InvoiceSums({ invoice }: { invoice: NewInvoice }) {
  const { t } = useTranslation(['billing', 'names']);
  const [settled] = useDebouncedValue(JSON.stringify(invoice), DEBOUNCE_MS);
  const complete = invoice.lines.every((line) => line.description && line.unit_price);
  const { data, isError } = useQuery({
    ...queries.invoicePreview(JSON.parse(settled) as NewInvoice),
    enabled: complete,
    placeholderData: keepPreviousData,
  });
  // What is wrong stands beside the fields once the form is sent.
  if (!data || isError || !complete) return null;
  const amount = (value: string) => money(value, data.currency);
  const name = data.tax_name ?? t('names:paper.tax');
  return (
    <dl className={classes.sums} aria-label={t('create.sums')}>
      <dt>{t('names:paper.net')}</dt>
      <dd className="num">{amount(data.net)}</dd>
      {data.taxes
        .filter((tax) => tax.percent !== '0')
        .map((tax) => (
          <TaxRow
            key={tax.percent}
            label={t('names:paper.tax_on', { tax: `${name} ${percent(tax.percent)}`, net: amount(tax.net) })}
            value={amount(tax.tax)}
          />
        ))}
      <dt className={classes.total}>{t('total')}</dt>
      <dd className={`num ${classes.total}`}>{amount(data.total)}</dd>
    </dl>
  );
}

function TaxRow({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="num">{value}</dd>
    </>
  );
}
