import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { InvoicePayable } from '../../../api/types';
import { date } from '../../../messages/format';
import { paths } from '../../../paths';
import { Money } from '../../../ui/Money';
import { Section } from '../../../ui/Section';
import classes from './NextPayments.module.css';

/** Next payments, one row per invoice with the amount due and its date. */
export function NextPayments({ payments }: { payments: InvoicePayable[] }) {
  const { t } = useTranslation('billing');
  return (
    <Section title={t('next')} flush>
      <ul className={classes.list}>
        {payments.map((payment) => (
          <li key={payment.invoice_id} className={classes.row}>
            <div>
              <Anchor component={Link} to={paths.clientInvoice(payment.invoice_id)} fz="inherit" fw={500}>
                {t('next.invoice', { number: payment.number, order: payment.spv_identifier })}
              </Anchor>
              <p className={payment.overdue ? classes.overdue : classes.fact}>
                {t(payment.overdue ? 'next.overdue' : 'due_on', { date: date(payment.due_date) })}
              </p>
            </div>
            <Money amount={payment.amount} currency={payment.currency} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
