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
import { paths } from '../../../paths';
import { Change } from '../../../shared/figures/Change';
import { monthsSoFar } from '../../../shared/figures/months';
import { usePrevious } from '../../../shared/figures/usePrevious';
import { useTogether } from '../../../shared/figures/useTogether';
import { linkTo } from '../../../shared/linkTo';
import { OrderCharts } from '../../../shared/figures/OrderCharts';
import { useDateRange, useDateRangeText } from '../../../shared/figures/dateRange';

/** Analytics of orders placed in a date range. */
export function Component() {
  const { t } = useTranslation('reports');
  const company = useCompany();
  const { range, days, filter } = useDateRange();
  const rangeText = useDateRangeText();
  const current = useQuery(queries.analytics({ company_id: company.id, ...range }));
  const { error, refetch } = current;
  const earlier = usePrevious(current.data);
  const comparison = useQuery({
    ...queries.analytics({ company_id: company.id, ...earlier?.range }),
    enabled: earlier !== undefined,
    placeholderData: undefined,
  });
  const data = useTogether(current.data, earlier && comparison);
  const before = comparison.data;
  const compared = earlier && before && { total: before, than: earlier.name };
  const months = data && monthsSoFar(data.months);
  const closed = data?.statuses.find(({ status }) => status === 'closed')?.spvs;
  const stepsOf = (figures: typeof data) => figures?.steps.reduce((sum, step) => sum + step.completed, 0);
  const steps = stepsOf(data);
  return (
    <>
      <PageHeader
        title={t('analytics.title')}
        text={`${t('analytics.text')} ${rangeText(data ?? days)}`}
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
              link={linkTo(paths.companySpvs)}
              trend={months?.map((row) => row.placed)}
              hint={
                compared && <Change now={data?.total} before={compared.total.total} than={compared.than} />
              }
            />
            <StatCard
              label={t('analytics.closed')}
              explain={t('analytics.closed_text')}
              icon={<IconCircleCheck size={18} />}
              value={closed === undefined ? undefined : number(closed)}
              link={linkTo(paths.companySpvsOf({ status: 'closed' }))}
              trend={months?.map((row) => row.closed)}
              hint={
                compared && (
                  <Change
                    now={closed}
                    before={compared.total.statuses.find(({ status }) => status === 'closed')?.spvs}
                    than={compared.than}
                  />
                )
              }
            />
            <StatCard
              label={t('analytics.on_time')}
              explain={t('analytics.on_time_text')}
              icon={<IconClock size={18} />}
              value={data && percent(data.on_time.percent)}
              trend={months?.flatMap((row) => row.on_time.percent ?? [])}
              hint={
                compared &&
                compared.total.on_time.percent !== null &&
                t('analytics.was', { value: percent(compared.total.on_time.percent) })
              }
            />
            <StatCard
              label={t('analytics.steps')}
              explain={t('analytics.steps_text')}
              icon={<IconChartBar size={18} />}
              value={steps === undefined ? undefined : number(steps)}
              hint={compared && <Change now={steps} before={stepsOf(compared.total)} than={compared.than} />}
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
          {data && data.total > 0 && (
            <OrderCharts
              data={data}
              before={before && earlier ? before.months : undefined}
              ordersPath={paths.companySpvsOf}
            />
          )}
        </Stack>
      )}
    </>
  );
}
