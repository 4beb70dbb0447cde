import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { money, compactMoney } from '../messages/format';
import classes from './Money.module.css';
import { type Sum, sumsWithMoney } from './sums';

interface Props {
  amount: string | null | undefined;
  currency: string;
}

/** Exact amount. */
export function Money({ amount, currency }: Props) {
  return <span className="num">{money(amount, currency)}</span>;
}

interface SumsProps {
  /** One amount per currency. */
  sums: Sum[];
  /** Currency shown first, and where there is no money. */
  currency: string;
  scale: 'millions' | 'thousands';
}

/**
 * Compact amounts for cards, one line per currency that has money: amounts in different currencies are never added. The
 * exact ones are in tooltips and for screen readers.
 */
export function CompactSums({ sums, currency, scale }: SumsProps) {
  const lines = sumsWithMoney(sums, currency);
  return (
    <span className={classes.sums} data-lines={lines.length}>
      {lines.map((sum) => (
        <CompactMoney key={sum.currency} {...sum} scale={scale} />
      ))}
    </span>
  );
}

/** Exact amounts for cards, one line per currency that has money. */
export function Sums({ sums, currency }: Omit<SumsProps, 'scale'>) {
  const lines = sumsWithMoney(sums, currency);
  return (
    <span className={classes.sums} data-lines={lines.length}>
      {lines.map((sum) => (
        <Money key={sum.currency} {...sum} />
      ))}
    </span>
  );
}

/** Compact amount for cards; exact one in the tooltip and for screen readers. */
function CompactMoney({
  amount,
  currency,
  scale,
}: Props & { amount: string; scale: 'millions' | 'thousands' }) {
  const { t } = useTranslation('common');
  const exact = money(amount, currency);
  return (
    <Tooltip label={exact}>
      <span className="num" tabIndex={0}>
        {compactMoney(amount, currency, scale)}
        <span className="sr-only"> {t('exact_amount', { amount: exact })}</span>
      </span>
    </Tooltip>
  );
}
