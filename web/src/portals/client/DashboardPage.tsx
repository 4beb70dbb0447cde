import { Anchor, Skeleton, Stack } from '@mantine/core';
import { IconCircleCheck, IconClock, IconFolderPlus, IconProgress } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { number } from '../../messages/format';
import { paths } from '../../paths';
import { RecentActivity } from '../../shared/activity/RecentActivity';
import { RecentDocuments } from '../../shared/documents/RecentDocuments';
import { useMe } from '../../shared/session/me';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { StatCard, StatRow } from '../../ui/StatCard';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { TwoColumns } from '../../ui/TwoColumns';
import { NeedHelp } from './NeedHelp';
import { Needs } from './needs/Needs';
import { useNeeds } from './needs/useNeeds';
import { QuickActions } from './QuickActions';
import { OrderCard, OrderCardSkeleton } from './OrderCard';

export function Component() {
  const { t } = useTranslation('client');
  const me = useMe();
  const { data, error, refetch } = useQuery(queries.clientDashboard());
  const needs = useNeeds();
  // All at once: what is needed stands first, so nothing below it moves when it is known.
  const loading = !data || (!needs.needs && !needs.error);
  return (
    <>
      <PageHeader title={t('welcome', { name: me.first_name })} text={t('welcome_text')} />
      {error && !data ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : loading ? (
        <HomeSkeleton />
      ) : (
        <Stack gap="md">
          <Needs of={needs} />
          <TwoColumns
            main={
              <>
                <Section
                  title={t('orders.title')}
                  flush
                  actions={
                    data.spvs.length > 0 && (
                      <Anchor
                        component={Link}
                        to={paths.clientOrders}
                        size="sm"
                        aria-label={t('orders.view_all_of')}
                      >
                        {t('orders.view_all')}
                      </Anchor>
                    )
                  }
                >
                  {data.spvs.length === 0 && (
                    <EmptyState icon={<IconFolderPlus size={20} />} title={t('orders.empty')} />
                  )}
                  {data.spvs.map((spv) => (
                    <OrderCard key={spv.id} spv={spv} detail={needs.orders.find(({ id }) => id === spv.id)} />
                  ))}
                </Section>
                <StatRow>
                  <StatCard
                    label={t('count.processing')}
                    icon={<IconProgress size={18} />}
                    value={number(data.processing)}
                  />
                  <StatCard
                    label={t('count.pending')}
                    icon={<IconClock size={18} />}
                    value={number(data.pending)}
                  />
                  <StatCard
                    label={t('count.completed')}
                    icon={<IconCircleCheck size={18} />}
                    value={number(data.completed)}
                  />
                </StatRow>
              </>
            }
            side={
              <>
                <QuickActions />
                <RecentActivity activity={data.activity} all={paths.clientActivity} />
                <RecentDocuments />
                <NeedHelp />
              </>
            }
          />
        </Stack>
      )}
    </>
  );
}

function HomeSkeleton() {
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton height={240} radius="md" />
      <TwoColumns
        main={
          <>
            <OrderCardSkeleton />
            <OrderCardSkeleton />
          </>
        }
        side={<Skeleton height={480} radius="md" />}
      />
    </Stack>
  );
}
