import { useTranslation } from 'react-i18next';
import type { Analytics } from '../../api/types';
import { month, number, percent } from '../../messages/format';
import { BarChart } from '../../ui/charts/BarChart';
import { ChartPanel } from '../../ui/charts/ChartPanel';
import { ColumnChart } from '../../ui/charts/ColumnChart';
import { FigureTable } from '../../ui/charts/FigureTable';

type Month = Analytics['months'][number];

/** What a company and the whole office have alike. */
type Figures = Pick<Analytics, 'months' | 'steps' | 'statuses' | 'countries' | 'total' | 'on_time'>;

/** How orders go: each chart with its figures beside it. */
export function OrderCharts({ data }: { data: Figures }) {
  const { t } = useTranslation(['reports', 'names']);
  const { months, steps, statuses, countries, total, on_time: onTime } = data;
  const sum = (name: 'placed' | 'closed' | 'cancelled') =>
    number(months.reduce((all, row) => all + row[name], 0));
  const share = (spvs: number) => percent(Math.round((1000 * spvs) / total) / 10);
  const days = (value: number) => t('analytics.days', { days: number(value) });
  return (
    <>
      <ChartPanel
        title={t('analytics.over_time')}
        text={t('analytics.over_time_text')}
        chart={
          <ColumnChart
            rows={months}
            rowKey={(row) => row.month}
            label={(row) => month(row.month, 'short')}
            scale={number}
            series={(['placed', 'closed'] as const).map((name) => ({
              name: t(`analytics.${name}`),
              value: (row: Month) => row[name],
              text: (row: Month) => number(row[name]),
            }))}
          />
        }
        table={
          <FigureTable
            file="orders-over-time"
            label={t('analytics.over_time')}
            first={{
              header: t('finances.month'),
              cell: (row) => month(row.month),
              plain: (row) => row.month,
              total: t('total'),
            }}
            rows={months}
            rowKey={(row) => row.month}
            columns={(['placed', 'closed', 'cancelled'] as const).map((name) => ({
              key: name,
              header: t(`analytics.${name}`),
              explain: t(`analytics.${name}_text`),
              cell: (row: Month) => number(row[name]),
              plain: (row: Month) => row[name],
              total: sum(name),
            }))}
          />
        }
      />
      <ChartPanel
        title={t('analytics.step_time')}
        text={t('analytics.step_time_text')}
        chart={
          <BarChart
            rows={steps}
            rowKey={(row) => row.name}
            label={(row) => row.name}
            value={(row) => row.median_days}
            text={(row) => days(row.median_days)}
          />
        }
        table={
          <FigureTable
            file="step-times"
            label={t('analytics.step_time')}
            first={{ header: t('analytics.step'), cell: (row) => row.name }}
            rows={steps}
            rowKey={(row) => row.name}
            columns={[
              {
                key: 'completed',
                header: t('analytics.completed'),
                cell: (row) => number(row.completed),
                plain: (row) => row.completed,
              },
              {
                key: 'median',
                header: t('analytics.median'),
                explain: t('analytics.median_text'),
                cell: (row) => days(row.median_days),
                plain: (row) => row.median_days,
              },
              {
                key: 'longest',
                header: t('analytics.longest'),
                cell: (row) => days(row.longest_days),
                plain: (row) => row.longest_days,
              },
            ]}
          />
        }
      />
      <ChartPanel
        title={t('analytics.on_time')}
        text={t('analytics.on_time_text')}
        chart={
          <ColumnChart
            // A month in which nothing was due has no share; it is not one in which all was late.
            rows={months.filter((row) => row.on_time.percent !== null)}
            rowKey={(row) => row.month}
            label={(row) => month(row.month, 'short')}
            scale={percent}
            top={100}
            series={[
              {
                name: t('analytics.on_time'),
                value: (row) => row.on_time.percent ?? 0,
                text: (row) => percent(row.on_time.percent),
              },
            ]}
          />
        }
        table={
          <FigureTable
            file="on-time"
            label={t('analytics.on_time')}
            first={{
              header: t('finances.month'),
              cell: (row) => month(row.month),
              plain: (row) => row.month,
              total: t('total'),
            }}
            rows={months}
            rowKey={(row) => row.month}
            columns={[
              {
                key: 'due',
                header: t('analytics.due'),
                explain: t('analytics.due_text'),
                cell: (row) => number(row.on_time.due),
                plain: (row) => row.on_time.due,
                total: number(onTime.due),
              },
              {
                key: 'kept',
                header: t('analytics.kept'),
                cell: (row) => number(row.on_time.kept),
                plain: (row) => row.on_time.kept,
                total: number(onTime.kept),
              },
              {
                key: 'share',
                header: t('analytics.share'),
                cell: (row) => percent(row.on_time.percent),
                plain: (row) => row.on_time.percent,
                total: percent(onTime.percent),
              },
            ]}
          />
        }
      />
      <ChartPanel
        title={t('analytics.by_country')}
        text={t('analytics.by_country_text')}
        chart={
          <BarChart
            rows={countries}
            rowKey={(row) => row.country}
            label={(row) => t(`names:country.${row.country}`)}
            value={(row) => row.spvs}
            text={(row) => number(row.spvs)}
          />
        }
        table={
          <FigureTable
            file="orders-by-country"
            label={t('analytics.by_country')}
            first={{
              header: t('finances.country'),
              cell: (row) => t(`names:country.${row.country}`),
              total: t('total'),
            }}
            rows={countries}
            rowKey={(row) => row.country}
            columns={[
              {
                key: 'spvs',
                header: t('finances.spvs'),
                cell: (row) => number(row.spvs),
                plain: (row) => row.spvs,
                total: number(total),
              },
              {
                key: 'share',
                header: t('analytics.share'),
                cell: (row) => share(row.spvs),
                total: percent(100),
              },
            ]}
          />
        }
      />
      <ChartPanel
        title={t('analytics.funnel')}
        text={t('analytics.funnel_text')}
        chart={
          <BarChart
            rows={statuses}
            rowKey={(row) => row.status}
            label={(row) => t(`names:spv_status.${row.status}`)}
            value={(row) => row.spvs}
            text={(row) => number(row.spvs)}
          />
        }
        table={
          <FigureTable
            file="orders-by-status"
            label={t('analytics.funnel')}
            first={{
              header: t('analytics.status'),
              cell: (row) => t(`names:spv_status.${row.status}`),
              total: t('total'),
            }}
            rows={statuses}
            rowKey={(row) => row.status}
            columns={[
              {
                key: 'spvs',
                header: t('finances.spvs'),
                cell: (row) => number(row.spvs),
                plain: (row) => row.spvs,
                total: number(total),
              },
              {
                key: 'share',
                header: t('analytics.share'),
                cell: (row) => share(row.spvs),
                total: percent(100),
              },
            ]}
          />
        }
      />
    </>
  );
}
