import { IconCash, IconReceiptRefund } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { Money } from '../../ui/Money';
import { StatCard, StatRow } from '../../ui/StatCard';
import { ErrorState } from '../../ui/ErrorState';

interface Props {
  title: string;
  /** Title of what was paid beyond what credit notes left. */
  creditTitle: string;
}

/** Outstanding amounts and credit, a card per currency. */
export function OutstandingAmounts({ title, creditTitle }: Props) {
  const { t } = useTranslation('billing');
  const { data, error, refetch } = useQuery(queries.billing());
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  const icon = <IconCash size={18} />;
  return (
    <StatRow>
      {(!data || data.owed.length === 0) && (
        <StatCard label={title} icon={icon} value={data && t('owed.nothing')} hint={null} />
      )}
      {data?.owed.map(({ currency, amount, invoices, overdue }) => (
        <StatCard
          key={currency}
          label={data.owed.length > 1 ? `${title} (${currency})` : title}
          icon={icon}
          value={<Money amount={amount} currency={currency} />}
          hint={[
            t('owed.text', { count: invoices }),
            ...(overdue > 0 ? [t('owed.overdue', { count: overdue })] : []),
          ].join(' · ')}
        />
      ))}
      {data?.credit.map(({ currency, amount }) => (
        <StatCard
          key={`credit ${currency}`}
          label={data.credit.length > 1 ? `${creditTitle} (${currency})` : creditTitle}
          icon={<IconReceiptRefund size={18} />}
          value={<Money amount={amount} currency={currency} />}
          hint={t('credit.text')}
        />
      ))}
    </StatRow>
  );
}
