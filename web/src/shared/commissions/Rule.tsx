import { useTranslation } from 'react-i18next';
import type { Commission } from '../../api/types';
import { money } from '../../messages/format';

/** "2.5 % of $50,000.00", or fixed amount; reversals are marked. */
export function Rule({ row }: { row: Commission }) {
  const { t } = useTranslation('names');
  const rule = t(`commission_rule.${row.rule}`, { rate: row.rate, base: money(row.base, row.currency) });
  return row.kind === 'reversed' ? `${t('commission_kind.reversed')} · ${rule}` : rule;
}
