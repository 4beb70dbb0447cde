import { IconActivity, IconCoin, IconEye, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { EmployeeDashboard } from '../../api/types';
import { number } from '../../messages/format';
import { paths } from '../../paths';
import { linkTo } from '../../shared/linkTo';
import { useMe } from '../../shared/session/me';
import { CompactSums } from '../../ui/Money';
import { StatCard, StatRow } from '../../ui/StatCard';

export function Stats({ dashboard }: { dashboard: EmployeeDashboard | undefined }) {
  const { t } = useTranslation('employee');
  const me = useMe();
  return (
    <StatRow>
      <StatCard
        label={t('stat.total_clients')}
        link={linkTo(paths.employeeClients)}
        icon={<IconUsers size={18} />}
        value={dashboard && number(dashboard.total_clients)}
      />
      <StatCard
        label={t('stat.active_spvs')}
        link={linkTo(paths.employeeSpvsOf({ status: 'active' }))}
        icon={<IconActivity size={18} />}
        value={dashboard && number(dashboard.active_spvs)}
      />
      <StatCard
        label={t('stat.pending_reviews')}
        explain={t('stat.pending_reviews_text')}
        icon={<IconEye size={18} />}
        value={dashboard && number(dashboard.pending_reviews)}
      />
      {me.can.includes('view_revenue') && (
        <StatCard
          label={t('stat.revenue')}
          link={linkTo(paths.employeeSpvsOf({ status: 'active' }))}
          icon={<IconCoin size={18} />}
          value={
            dashboard && (
              <CompactSums
                sums={dashboard.revenue_by_currency}
                currency={dashboard.currency}
                scale="millions"
              />
            )
          }
        />
      )}
    </StatRow>
  );
}
