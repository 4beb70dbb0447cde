import { Stack } from '@mantine/core';
import { IconBriefcase, IconCoin, IconFolders, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { number } from '../../messages/format';
import { RecentActivity } from '../../shared/activity/RecentActivity';
import { paths } from '../../paths';
import { monthsSoFar } from '../../shared/figures/months';
import { linkTo } from '../../shared/linkTo';
import { CompactSums } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { StatCard, StatRow } from '../../ui/StatCard';
import { ErrorState } from '../../ui/ErrorState';
import { TwoColumns } from '../../ui/TwoColumns';
import { useCompany } from './companyContext';
import { PartnerTables } from './PartnerTables';

/** Company dashboard: figures, clients by partner, latest activity. */
export function Component() {
  const { t } = useTranslation(['dashboards', 'company']);
  const company = useCompany();
  const { data, error, refetch } = useQuery(queries.companyDashboard(company.id));
  const { data: year } = useQuery(queries.analytics({ company_id: company.id, period: 'this_year' }));
  const { data: finances, isPlaceholderData } = useQuery({
    ...queries.finances({ company_id: company.id, period: 'this_year' }),
    // The dashboard does not poll.
    refetchInterval: false,
  });
  // One currency only, since currencies are never added up. Placeholder data may be of another company.
  const [revenue, ...others] = data?.revenue_by_currency ?? [];
  const account =
    others.length === 0 && !isPlaceholderData
      ? finances?.accounts.find(({ currency }) => currency === revenue?.currency)
      : undefined;
  const ordered = account && monthsSoFar(account.months);
  const months = year && monthsSoFar(year.months);
  const placed = months?.at(-1)?.placed;
  return (
    <>
      <PageHeader title={company.name} text={t('company:overview.text')} />
      {error && !data ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <StatRow>
            <StatCard
              label={t('company.total_spvs')}
              link={linkTo(paths.companySpvs)}
              explain={t('company:overview.total_spvs')}
              icon={<IconFolders size={18} />}
              value={data && number(data.total_spvs)}
              trend={months?.map((row) => row.placed)}
              hint={placed !== undefined ? t('company:overview.placed', { count: placed }) : null}
            />
            <StatCard
              label={t('company.active_clients')}
              link={linkTo(paths.companyClients)}
              explain={t('company:overview.active_clients')}
              icon={<IconUsers size={18} />}
              value={data && number(data.active_clients)}
            />
            <StatCard
              label={t('company.total_revenue')}
              link={linkTo(paths.companyFinances)}
              explain={t('company:overview.total_revenue')}
              icon={<IconCoin size={18} />}
              value={
                data && (
                  <CompactSums sums={data.revenue_by_currency} currency={data.currency} scale="millions" />
                )
              }
              trend={ordered?.map(({ figures }) => Number(figures.ordered))}
            />
            <StatCard
              label={t('company.iso_partners')}
              explain={t('company:overview.iso_partners')}
              icon={<IconBriefcase size={18} />}
              value={data && number(data.iso_partners)}
            />
          </StatRow>
          <TwoColumns
            main={<PartnerTables key={company.id} partners={data?.partners} />}
            side={<RecentActivity title={t('company.recent')} activity={data?.activity} />}
          />
        </Stack>
      )}
    </>
  );
}
