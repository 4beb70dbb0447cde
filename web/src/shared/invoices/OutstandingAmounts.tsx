import { IconCash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { Money } from '../../ui/Money';
import { StatCard, StatRow } from '../../ui/StatCard';
import { ErrorState } from '../../ui/ErrorState';

/** Outstanding amounts, a card per currency. */
export function OutstandingAmounts({ title }: { title: string }) {
  const { t } = useTranslation('billing');
  const { data, error, refetch } = useQuery(queries.billing());
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  const icon = <IconCash size={18} />;
  if (!data || data.owed.length === 0) {
    return (
      <StatRow>
        <StatCard label={title} icon={icon} value={data && t('owed.nothing')} hint={null} />
      </StatRow>
    );
  }
  return (
    <StatRow>
      {data.owed.map(({ currency, amount, invoices, overdue }) => (
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
    </StatRow>
  );
}
