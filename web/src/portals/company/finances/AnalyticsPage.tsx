import { Skeleton, Stack } from '@mantine/core';
import { IconChartBar, IconCircleCheck, IconClock, IconFolders } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { number, percent } from '../../../messages/format';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { StatCard, StatRow } from '../../../ui/StatCard';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { useCompany } from '../companyContext';
import { OrderCharts } from '../../../shared/figures/OrderCharts';
import { useDateRange, useDateRangeText } from '../../../shared/figures/dateRange';

/** Analytics of orders placed in a date range. */
export function Component() {
  const { t } = useTranslation('reports');
  const company = useCompany();
  const { range, filter } = useDateRange();
  const rangeText = useDateRangeText();
  const { data, error, refetch } = useQuery(queries.analytics({ company_id: company.id, ...range }));
  const closed = data?.statuses.find(({ status }) => status === 'closed')?.spvs;
  const steps = data?.steps.reduce((sum, step) => sum + step.completed, 0);
  return (
    <>
      <PageHeader
        title={t('analytics.title')}
        text={data ? `${t('analytics.text')} ${rangeText(data)}` : t('analytics.text')}
        actions={filter}
      />
      {error ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <StatRow>
            <StatCard
              label={t('analytics.placed')}
              explain={t('analytics.placed_text')}
              icon={<IconFolders size={18} />}
              value={data && number(data.total)}
            />
            <StatCard
              label={t('analytics.closed')}
              explain={t('analytics.closed_text')}
              icon={<IconCircleCheck size={18} />}
              value={closed === undefined ? undefined : number(closed)}
            />
            <StatCard
              label={t('analytics.on_time')}
              explain={t('analytics.on_time_text')}
              icon={<IconClock size={18} />}
              value={data && percent(data.on_time.percent)}
            />
            <StatCard
              label={t('analytics.steps')}
              explain={t('analytics.steps_text')}
              icon={<IconChartBar size={18} />}
              value={steps === undefined ? undefined : number(steps)}
            />
          </StatRow>
          {!data && <Skeleton height={300} radius="md" aria-hidden="true" />}
          {data?.total === 0 && (
            <Section title={t('analytics.title')}>
              <EmptyState
                icon={<IconChartBar size={20} />}
                title={t('analytics.empty')}
                text={t('finances.empty_text')}
              />
            </Section>
          )}
          {data && data.total > 0 && <OrderCharts data={data} />}
        </Stack>
      )}
    </>
  );
}
