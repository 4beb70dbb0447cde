import { Skeleton, Stack } from '@mantine/core';
import { IconChartBar, IconCoin, IconFolders, IconLogin2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { OfficeAnalytics } from '../../api/types';
import { compact, money, month, number } from '../../messages/format';
import { paths } from '../../paths';
import { Change } from '../../shared/figures/Change';
import { daysOfMonth, monthsSoFar, useRunningMonth } from '../../shared/figures/months';
import { useTogether } from '../../shared/figures/useTogether';
import { usePrevious } from '../../shared/figures/usePrevious';
import { monthFilter } from '../../shared/grid/daysFilter';
import { linkTo } from '../../shared/linkTo';
import { OrderCharts } from '../../shared/figures/OrderCharts';
import { amountInCurrency, type Fees, revenueColumns } from '../../shared/figures/revenue';
import { useDateRange, useDateRangeText } from '../../shared/figures/dateRange';
import { useMonthColumn } from '../../shared/figures/useMonthColumn';
import { BarChart } from '../../ui/charts/BarChart';
import { ChartGrid, ChartPanel } from '../../ui/charts/ChartPanel';
import { FigureTable } from '../../ui/charts/FigureTable';
import { TimeChart } from '../../ui/charts/TimeChart';
import { PageHeader } from '../../ui/PageHeader';
import { sumsWithMoney } from '../../ui/sums';
import { CompactSums } from '../../ui/Money';
import { StatCard, StatRow } from '../../ui/StatCard';
import { ErrorState } from '../../ui/ErrorState';

type Month = OfficeAnalytics['months'][number];
type Group = OfficeAnalytics['companies'][number];

/** Office analytics: all companies. */
export function Component() {
  const { t } = useTranslation(['admin', 'reports']);
  const { range, days, filter } = useDateRange();
  const rangeText = useDateRangeText();
  const { data: current, error, refetch } = useQuery(queries.officeAnalytics(range));
  const earlier = usePrevious(current);
  const comparison = useQuery({
    ...queries.officeAnalytics({ ...earlier?.range }),
    enabled: earlier !== undefined,
    placeholderData: undefined,
  });
  const data = useTogether(current, earlier && comparison);
  const before = earlier && comparison.data;
  const months = data && monthsSoFar(data.months);
  const sum = (of: (row: Month) => number, figures = data) =>
    figures?.months.reduce((all, row) => all + of(row), 0);
  const counted = (of: (row: Month) => number) => {
    const value = sum(of);
    return {
      value: value === undefined ? undefined : number(value),
      trend: months?.map(of),
      hint: before ? <Change now={value} before={sum(of, before)} than={earlier.name} /> : null,
    };
  };
  const currency = data && (sumsWithMoney(data.revenue, data.currency)[0]?.currency ?? data.currency);
  const earned = (figures: OfficeAnalytics | undefined) =>
    figures && currency ? Number(amountInCurrency(figures.revenue, currency)) : undefined;
  return (
    <>
      <PageHeader
        title={t('reports:analytics.title')}
        text={`${t('analytics.text')} ${rangeText(data ?? days)}`}
        actions={filter}
      />
      {error && !data ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <StatRow>
            <StatCard
              label={t('analytics.orders')}
              explain={t('reports:analytics.placed_text')}
              icon={<IconFolders size={18} />}
              link={linkTo(paths.employeeSpvsOf({}))}
              {...counted((row) => row.placed)}
            />
            <StatCard
              label={t('analytics.revenue')}
              explain={t('reports:analytics.revenue_text')}
              icon={<IconCoin size={18} />}
              value={data && <CompactSums sums={data.revenue} currency={data.currency} scale="millions" />}
              link={linkTo(paths.employeeInvoices)}
              trend={months?.map((row) => Number(amountInCurrency(row.revenue, currency ?? '')))}
              hint={before ? <Change now={earned(data)} before={earned(before)} than={earlier.name} /> : null}
            />
            <StatCard
              label={t('analytics.requests')}
              explain={t('analytics.requests_text')}
              icon={<IconChartBar size={18} />}
              link={linkTo(paths.requestManagement)}
              {...counted((row) => row.requests)}
            />
            <StatCard
              label={t('analytics.sign_ins')}
              explain={t('analytics.sign_ins_text')}
              icon={<IconLogin2 size={18} />}
              link={linkTo(signInsPath(data ?? range))}
              {...counted((row) => row.sign_ins)}
            />
          </StatRow>
          {!data && <Skeleton height={300} radius="md" aria-hidden="true" />}
          {data && (
            <>
              <ChartGrid>
                <Revenue data={data} before={before?.months} />
              </ChartGrid>
              <OrderCharts data={data} before={before?.months} ordersPath={paths.employeeSpvsOf} />
              <ChartGrid>
                <StepTimes data={data} before={before?.months} />
                <OverTime
                  title={t('analytics.requests_over_time')}
                  text={t('analytics.requests_text')}
                  file="requests"
                  months={data.months}
                  series={[['analytics.requests', (row) => row.requests]]}
                />
                <OverTime
                  title={t('analytics.sign_ins_over_time')}
                  text={t('analytics.sign_ins_text')}
                  file="sign-ins"
                  months={data.months}
                  series={[
                    ['analytics.sign_ins', (row) => row.sign_ins],
                    ['analytics.failed_sign_ins', (row) => row.failed_sign_ins],
                  ]}
                  pathOf={(row) => signInsPath(daysOfMonth(row.month))}
                />
                <Groups
                  title={t('analytics.by_company')}
                  header={t('analytics.company')}
                  file="companies"
                  rows={data.companies}
                  pathOf={(id) => paths.employeeCompany(id)}
                  revenue={data.revenue}
                />
                <Groups
                  title={t('analytics.by_iso')}
                  header={t('reports:finances.partner')}
                  file="iso-partners"
                  rows={data.isos}
                  pathOf={(id) => (id ? paths.employeeIso(id) : paths.employeeSpvsOf({ iso: 'none' }))}
                  revenue={data.revenue}
                />
              </ChartGrid>
            </>
          )}
        </Stack>
      )}
    </>
  );
}

interface FiguresProps {
  data: OfficeAnalytics;
  /** Months of the period before. */
  before?: Month[];
}

/** The sign-ins of these days in the activity log; failed ones are events of another kind. */
function signInsPath({ from, to }: { from?: string | null; to?: string | null }): string {
  return paths.adminLogsOf({ what: 'session.started', ...(from && { from }), ...(to && { to }) });
}

/** Orders placed in a month, whose fees are its revenue. */
const ordersOf = (row: Month) => paths.employeeSpvsOf(monthFilter(row.month));

/** One currency at a time, because a table per currency would be many. */
function Revenue({ data, before }: FiguresProps) {
  const { t } = useTranslation(['admin', 'reports']);
  const navigate = useNavigate();
  const running = useRunningMonth();
  const byMonth = useMonthColumn();
  const currencies = data.revenue.map(({ currency }) => currency);
  const shown = currencies.length > 0 ? currencies : [data.currency];
  return shown.map((currency) => {
    const title = t('reports:analytics.revenue_in', { currency });
    return (
      <ChartPanel
        key={currency}
        title={title}
        text={t('reports:analytics.revenue_text')}
        chart={
          <TimeChart
            rows={monthsSoFar(data.months)}
            rowKey={(row) => row.month}
            label={(row) => month(row.month, 'short')}
            title={(row) => month(row.month)}
            scale={compact}
            before={before && { name: t('reports:analytics.before'), rows: before }}
            running={running}
            series={[
              {
                name: title,
                value: (row: Month) => Number(amountInCurrency(row.revenue, currency)),
                text: (row: Month) => money(amountInCurrency(row.revenue, currency), currency),
              },
            ]}
            onPick={(row) => void navigate(ordersOf(row))}
          />
        }
        table={
          <FigureTable
            file={`revenue-${currency.toLowerCase()}`}
            label={title}
            first={{ ...byMonth, link: (row, name) => linkTo(ordersOf(row))(name) }}
            rows={data.months}
            rowKey={(row) => row.month}
            columns={[
              {
                key: 'revenue',
                header: t('analytics.revenue'),
                cell: (row) => money(amountInCurrency(row.revenue, currency), currency),
                plain: (row) => amountInCurrency(row.revenue, currency),
                total: money(amountInCurrency(data.revenue, currency), currency),
              },
            ]}
          />
        }
      />
    );
  });
}

/** Step duration by month. */
function StepTimes({ data, before }: FiguresProps) {
  const { t } = useTranslation(['admin', 'reports']);
  const running = useRunningMonth();
  const byMonth = useMonthColumn();
  const title = t('analytics.step_times');
  const days = (value: number | null) =>
    value === null ? '—' : t('reports:analytics.days', { days: number(value) });
  return (
    <ChartPanel
      title={title}
      text={t('analytics.step_times_text')}
      chart={
        <TimeChart
          rows={monthsSoFar(data.months)}
          rowKey={(row) => row.month}
          label={(row) => month(row.month, 'short')}
          title={(row) => month(row.month)}
          scale={number}
          before={before && { name: t('reports:analytics.before'), rows: before }}
          running={running}
          series={[
            {
              name: t('analytics.average'),
              // No completed steps means no average, not zero.
              value: (row: Month) => row.average_step_days,
              text: (row: Month) => days(row.average_step_days),
            },
          ]}
        />
      }
      table={
        <FigureTable
          file="step-times-over-time"
          label={title}
          first={byMonth}
          rows={data.months}
          rowKey={(row) => row.month}
          columns={[
            {
              key: 'completed',
              header: t('reports:analytics.completed'),
              cell: (row) => number(row.steps),
              plain: (row) => row.steps,
              total: number(data.months.reduce((all, row) => all + row.steps, 0)),
            },
            {
              key: 'average',
              header: t('analytics.average'),
              cell: (row) => days(row.average_step_days),
              plain: (row) => row.average_step_days,
              total: days(data.average_step_days),
            },
          ]}
        />
      }
    />
  );
}

interface OverTimeProps {
  title: string;
  text: string;
  file: string;
  months: Month[];
  series: [name: string, value: (row: Month) => number][];
  /** The rows that a month counts. */
  pathOf?: (row: Month) => string;
}

function OverTime({ title, text, file, months, series, pathOf }: OverTimeProps) {
  const { t } = useTranslation(['admin', 'reports']);
  const navigate = useNavigate();
  const running = useRunningMonth();
  const byMonth = useMonthColumn();
  return (
    <ChartPanel
      title={title}
      text={text}
      chart={
        <TimeChart
          rows={monthsSoFar(months)}
          rowKey={(row) => row.month}
          label={(row) => month(row.month, 'short')}
          title={(row) => month(row.month)}
          scale={number}
          running={running}
          series={series.map(([name, value]) => ({
            name: t(name),
            value,
            text: (row: Month) => number(value(row)),
          }))}
          onPick={pathOf && ((row) => void navigate(pathOf(row)))}
        />
      }
      table={
        <FigureTable
          file={file}
          label={title}
          first={{ ...byMonth, link: pathOf && ((row, name) => linkTo(pathOf(row))(name)) }}
          rows={months}
          rowKey={(row) => row.month}
          columns={series.map(([name, value]) => ({
            key: name,
            header: t(name),
            cell: (row: Month) => number(value(row)),
            plain: value,
            total: number(months.reduce((all, row) => all + value(row), 0)),
          }))}
        />
      }
    />
  );
}

interface GroupsProps {
  title: string;
  header: string;
  file: string;
  rows: Group[];
  /** Record of a group; without an id its orders. */
  pathOf: (id: string) => string;
  /** Fees by currency, one column each. */
  revenue: Fees;
}

function Groups({ title, header, file, rows, pathOf, revenue }: GroupsProps) {
  const { t } = useTranslation(['admin', 'reports']);
  const name = (row: Group) => row.name ?? t('reports:finances.unassigned');
  return (
    <ChartPanel
      title={title}
      text={t('analytics.groups_text')}
      chart={
        <BarChart
          rows={rows}
          rowKey={(row) => row.id ?? ''}
          label={name}
          value={(row) => row.spvs}
          text={(row) => number(row.spvs)}
          link={(row, label) => linkTo(pathOf(row.id ?? ''))(label)}
        />
      }
      table={
        <FigureTable
          file={file}
          label={title}
          first={{
            header,
            cell: name,
            plain: name,
            link: (row, label) => linkTo(pathOf(row.id ?? ''))(label),
          }}
          rows={rows}
          rowKey={(row) => row.id ?? ''}
          columns={[
            {
              key: 'spvs',
              header: t('reports:finances.spvs'),
              cell: (row) => number(row.spvs),
              plain: (row) => row.spvs,
            },
            ...revenueColumns<Group>(revenue, (row) => row.revenue, {
              header: (currency) => t('reports:analytics.revenue_in', { currency }),
              explain: t('reports:analytics.revenue_text'),
            }),
          ]}
        />
      }
    />
  );
}
