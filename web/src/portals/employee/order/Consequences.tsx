import { useTranslation } from 'react-i18next';
import type { Consequence } from '../../../api/types';
import { money } from '../../../messages/format';
import classes from './Consequences.module.css';

/** What follows from a correction, a sentence each. */
export function Consequences({ of: all }: { of: Consequence[] }) {
  const { t } = useTranslation('orders');
  const isRaisedAnew = ({ invoice }: Consequence) =>
    all.some(({ replaces }) => replaces && replaces === invoice);
  const dropped = all.filter(({ installments_dropped: count }) => count);
  const shown = all.filter((each) => each.kind !== 'invoice_voided' || !isRaisedAnew(each));
  return (
    <>
      <p className={classes.lead}>{t('correction.lead')}</p>
      <ul className={classes.list}>
        {shown.map((each) => (
          <li key={`${each.kind} ${each.invoice} ${each.amount}`}>{sentence(each)}</li>
        ))}
        {dropped.map(({ invoice, installments_dropped: count }) => (
          <li key={`installments ${invoice}`}>
            {t('correction.installments_dropped', { invoice, count: count ?? 0 })}
          </li>
        ))}
      </ul>
    </>
  );

  // Without the numbers of new invoices and credit notes: others may be issued first.
  function sentence({ kind, ...of }: Consequence): string {
    const { invoice, replaces, currency } = of;
    const amount = money(of.amount, currency);
    const before = of.from && money(of.from, of.from_currency ?? currency);
    const after = of.to && money(of.to, currency);
    switch (kind) {
      case 'invoice_raised':
        return replaces
          ? t('correction.raised_anew', { invoice: replaces, amount })
          : t('correction.invoice_raised', { amount });
      case 'commission_recalculated':
        if (!before) return t('correction.commission_agreed', { amount: after });
        return after
          ? t('correction.commission_changed', { from: before, to: after })
          : t('correction.commission_dropped', { amount: before });
      case 'steps_replaced':
        return t('correction.steps_replaced', { removed: of.steps_removed, added: of.steps_added });
      default:
        return t(`correction.${kind}`, { invoice, amount });
    }
  }
}
