import { Skeleton, Stack, Text } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { SpvDetail } from '../../api/types';
import { date, money } from '../../messages/format';
import { RecentActivity } from '../../shared/activity/RecentActivity';
import { phaseText } from '../../shared/spvs/details';
import { StepList } from '../../shared/spvs/StepList';
import { DetailList } from '../../ui/DetailList';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { EmptyState, ErrorState } from '../../ui/states';
import { StatusBadge } from '../../ui/StatusBadge';
import { TwoColumns } from '../../ui/TwoColumns';
import { BackToDashboard } from './BackToDashboard';

export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('client');
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  const { data: activity } = useInfiniteQuery(queries.activity({ spv_id: id, limit: 10 }));
  if (error && !spv) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={spv?.identifier ?? t('order.loading')}
        text={spv && t('order.number', { number: spv.order_number })}
        back={<BackToDashboard />}
        actions={spv && <StatusBadge kind="spv" status={spv.status} />}
      />
      {spv ? (
        <TwoColumns
          main={<Steps spv={spv} />}
          side={
            <>
              <Overview spv={spv} />
              <RecentActivity activity={activity} />
            </>
          }
        />
      ) : (
        <Skeleton height={320} radius="md" />
      )}
    </>
  );
}

function Overview({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['client', 'names', 'common']);
  return (
    <Section title={t('order.overview')}>
      <Stack gap="md">
        <div>
          <Text size="sm" mb={6}>
            {phaseText(t, spv)}
          </Text>
          <ProgressBar
            percent={spv.progress.percent}
            label={t('order.progress_of', { name: spv.identifier })}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('common:steps_done', { ...spv.progress })}
          </Text>
        </div>
        {spv.status_reason && <Text size="sm">{t('order.reason', { reason: spv.status_reason })}</Text>}
        <DetailList
          details={[
            [t('order.ordered_label'), date(spv.ordered_date)],
            [t('order.country'), t(`names:country.${spv.country}`)],
            [t('order.company'), spv.company_name],
            [t('order.iso'), spv.iso_name],
            [t('order.amount'), spv.amount && money(spv.amount, spv.currency)],
          ]}
        />
      </Stack>
    </Section>
  );
}

function Steps({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('client');
  const yours = spv.steps.filter((step) => step.owner === 'client');
  const ours = spv.steps.filter((step) => step.owner !== 'client');
  return (
    <>
      {yours.length > 0 && (
        <Section title={t('order.your_tasks')} flush>
          <StepList reader="client" steps={yours} label={t('order.your_tasks')} />
        </Section>
      )}
      <Section title={t('order.our_progress')} flush>
        {ours.length > 0 ? (
          <StepList reader="client" steps={ours} label={t('order.our_progress')} />
        ) : (
          <EmptyState icon={<IconListCheck size={20} />} title={t('order.no_steps')} />
        )}
      </Section>
    </>
  );
}
