import { Anchor, Stack } from '@mantine/core';
import { IconChecklist, IconCoin, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { IsoDashboard } from '../../api/types';
import { number } from '../../messages/format';
import { paths } from '../../paths';
import { Change } from '../../shared/figures/Change';
import { linkTo } from '../../shared/linkTo';
import { CommissionOverview } from '../../shared/commissions/CommissionOverview';
import { activityText } from '../../shared/activity/activityText';
import { useMe } from '../../shared/session/me';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../../shared/grid/RowGrid';
import { RelativeTime } from '../../ui/DateText';
import { CompactSums } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { Prose } from '../../ui/Prose';
import { Section } from '../../ui/Section';
import { StatCard, StatRow } from '../../ui/StatCard';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { StatusBadge } from '../../ui/StatusBadge';
import { EarnedChart, useEarnings } from './EarnedChart';
import { QuickActions } from './QuickActions';

type Row = IsoDashboard['clients'][number];

const nameOf = ({ client }: Row) => `${client.first_name} ${client.last_name}`;

export function Component() {
  const { t } = useTranslation(['dashboards', 'common', 'events', 'names', 'partners']);
  const me = useMe();
  const { data, error, refetch } = useQuery(queries.isoDashboard());
  const { months: earned, currency: earnedCurrency, before: earnedBefore, than } = useEarnings();
  const columns: GridColumn<Row>[] = [
    {
      key: 'name',
      phone: 'title',
      header: t('client'),
      link: nameOf,
      cell: () => null,
    },
    { key: 'email', whole: true, header: t('email'), cell: ({ client }) => client.email },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      cell: ({ client }) => <StatusBadge kind="profile" status={client.status} />,
    },
    {
      key: 'spvs',
      header: t('spvs'),
      explain: t('spvs_text'),
      align: 'right',
      cell: ({ spvs }) => number(spvs),
    },
    {
      key: 'latest',
      phone: 'text',
      header: t('iso.latest'),
      cell: ({ latest }) =>
        latest ? (
          <>
            <Prose>{activityText(t, latest)}</Prose> · <RelativeTime at={latest.at} />
          </>
        ) : (
          '—'
        ),
    },
  ];
  return (
    <>
      <PageHeader title={t('iso.title')} text={t('greeting', { name: me.first_name })} />
      {error && !data ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <StatRow>
            <StatCard
              label={t('iso.active_clients')}
              link={linkTo(paths.isoClients)}
              explain={t('partners:dashboard.active_clients')}
              icon={<IconUsers size={18} />}
              value={data && number(data.active_clients)}
            />
            <StatCard
              label={t('iso.monthly_commissions')}
              link={linkTo(paths.isoCommissions)}
              explain={t('partners:dashboard.monthly_commissions')}
              icon={<IconCoin size={18} />}
              value={
                data && (
                  <CompactSums
                    sums={data.commissions_by_currency}
                    currency={data.currency}
                    scale="thousands"
                  />
                )
              }
              trend={earned?.map(({ amount }) => amount)}
              hint={earned ? <Change now={earned.at(-1)?.amount} before={earnedBefore} than={than} /> : null}
            />
            <StatCard
              label={t('iso.pending_leads')}
              link={linkTo(paths.isoLeads)}
              explain={t('partners:dashboard.pending_leads')}
              icon={<IconUserPlus size={18} />}
              value={data && number(data.pending_leads)}
            />
            <StatCard
              label={t('iso.completed_spvs')}
              link={linkTo(paths.isoClients)}
              explain={t('partners:dashboard.completed_spvs')}
              icon={<IconChecklist size={18} />}
              value={data && number(data.completed_spvs)}
            />
          </StatRow>
          <CommissionOverview />
          <EarnedChart months={earned} currency={earnedCurrency} />
          <QuickActions />
          <Section
            title={t('iso.recent')}
            flush
            actions={
              <Anchor component={Link} to={paths.isoClients} size="sm">
                {t('partners:dashboard.view_all')}
              </Anchor>
            }
          >
            <RowGrid
              label={t('iso.recent')}
              columns={columns}
              state={{ rows: data?.clients, error: null, retry: () => void refetch() }}
              hrefOf={({ client }) => paths.isoClient(client.id)}
              rowKey={({ client }) => client.id}
              empty={<EmptyState icon={<IconUsers size={20} />} title={t('no_clients')} />}
            />
          </Section>
        </Stack>
      )}
    </>
  );
}
