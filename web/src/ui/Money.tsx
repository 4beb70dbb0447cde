import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { money, compactMoney } from '../messages/format';

interface Props {
  amount: string | null | undefined;
  currency: string;
}

/** Exact amount. */
export function Money({ amount, currency }: Props) {
  return <span className="num">{money(amount, currency)}</span>;
}

/** Compact amount for cards; exact one in the tooltip and for screen readers. */
export function CompactMoney({
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
